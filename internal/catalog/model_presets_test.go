package catalog

import (
	"sort"
	"strings"
	"testing"
)

// Every preset counts what an outside source prints, and says where it is from.
func TestPresetTotals(t *testing.T) {
	names := ModelNames()
	if len(names) < 100 {
		t.Fatalf("%d presets, want at least 100", len(names))
	}
	for _, name := range names {
		s, err := presetSpec(name)
		if err != nil {
			t.Fatal(err)
		}
		m, err := Model(name)
		if err != nil {
			t.Fatal(err)
		}
		if s.Published == "" || s.PublishedBy == "" || m.Source == "" || m.AsOf == "" || m.Title == "" {
			t.Errorf("%s: published %q by %q, source %q of %q, title %q: want all", name, s.Published, s.PublishedBy, m.Source, m.AsOf, m.Title)
		} else if !printsAs(m.Parameters(), s.Published, s.PublishedWithin) {
			t.Errorf("%s: parameters = %d, published %s", name, m.Parameters(), s.Published)
		}
		if m.MaxSeq <= 0 || m.Heads() <= 0 || m.FFN() <= 0 {
			t.Errorf("%s: seq_len %d, heads %d, ffn %d: want positive", name, m.MaxSeq, m.Heads(), m.FFN())
		}
	}
}

// The published tables of runs name presets that exist.
func TestPresetsOfRuns(t *testing.T) {
	for _, table := range []string{"bigscience", "dgxc", "fsdp_misc", "korthikanti2022", "megatron_bridge", "megatron_misc", "mlperf", "simumax_b200"} {
		for _, row := range sharedTable(t, "runs", table+".tsv") {
			if p := row["preset"]; p != "" && presetName(p) != p {
				t.Errorf("runs/%s.tsv: preset %q does not exist", table, p)
			}
		}
	}
}

// Totals that the table of architectures prints.
func TestPresetsOfModelsTable(t *testing.T) {
	names := map[string]string{
		"BLOOM-176B": "bloom-176b", "GPT-NeoX-20B": "gpt-neox-20b", "OPT-175B": "opt-175b", "DeepSeek-V2 (236B)": "deepseek-v2",
		"LLaMA-1 13B": "llama1-13b", "LLaMA-1 30B": "llama1-33b", "nanotron 1B (ultrascale)": "nanotron-llama-1b",
		"nanotron 3B (ultrascale)": "nanotron-llama-3b", "nanotron 8B (ultrascale)": "nanotron-llama-8b", "nanotron 80B (ultrascale)": "nanotron-llama-80b",
	}
	for _, row := range sharedTable(t, "models.tsv") {
		name := names[row["model"]]
		if name == "" || row["params_b_total"] == "" {
			continue
		}
		m, err := Model(name)
		if err != nil {
			t.Fatal(err)
		}
		if !printsAs(m.Parameters(), row["params_b_total"]+"b", 0) {
			t.Errorf("%s: parameters = %d, the table prints %s e9", name, m.Parameters(), row["params_b_total"])
		}
	}
}

// No two presets or aliases are spelled alike once separators are dropped,
// and every alias leads to a preset.
func TestPresetSpellings(t *testing.T) {
	seen := map[string]string{}
	for _, n := range ModelNames() {
		if other := seen[fold(n)]; other != "" {
			t.Errorf("%s and %s are spelled alike", n, other)
		}
		seen[fold(n)] = n
	}
	for alias, want := range ModelAliases() {
		if seen[fold(want)] != want {
			t.Errorf("alias %q leads to %q, which is no preset", alias, want)
		}
		if m, err := Model(alias); err != nil || m.Name != want {
			t.Errorf("Model(%q) = %v, %v, want %s", alias, m, err, want)
		}
	}
	if !sort.StringsAreSorted(ModelNames()) {
		t.Error("names are not sorted")
	}
}

// Bare sizes of the alias table are the size of their model, near enough.
func TestSizesAreNear(t *testing.T) {
	for size, name := range modelAliases().Sizes {
		p, ok, err := parseSize(size)
		if !ok || err != nil {
			t.Errorf("%q is no size: %v", size, err)
			continue
		}
		m, err := Model(strings.ToUpper(size))
		if err != nil {
			t.Fatal(err)
		}
		if m.Name != name || !within(float64(m.Parameters()), p, 0.31) {
			t.Errorf("%s = %s with %d parameters", size, m.Name, m.Parameters())
		}
	}
}
