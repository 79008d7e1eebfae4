package tomltext

import (
	"maps"
	"reflect"
	"testing"

	"github.com/BurntSushi/toml"
)

const lab = `# Ours.
title = "Lab" # two racks
gpu = "h100"
source = [
  "https://a.example/#[x]", # read
]
note = """
[gpu]
[[tier]]
"""

# Inside a node.
[[tier]]
kind = "nvlink"
fit = { latency = "9us" }

[[tier]] # outside
kind = "ib"
nics = 4 # shared

[tier.fit]
reach = 0.8
`

// TestUntouched: what is not changed stays as written.
func TestUntouched(t *testing.T) {
	for _, text := range []string{lab, "a = 1\n", "[a.b]\nc.d = 1\nc.e = [[1],\n[2]]\n"} {
		d, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if d.String() != text {
			t.Errorf("%q became %q", text, d)
		}
	}
	if _, err := Parse("a = [\n"); err == nil {
		t.Error("half a list is no TOML")
	}
}

// TestChange: the values set are read back, every other key and comment stands.
func TestChange(t *testing.T) {
	d, err := Parse(lab)
	if err != nil {
		t.Fatal(err)
	}
	d.Root().Set("title", "Lab, calibrated", "")
	d.Root().Append("source", "runs")
	d.Root().Append("source", "runs")
	d.Root().Delete("gpu")
	gpu := d.Root().Table("gpu")
	gpu.Set("preset", "h100", "")
	gpu.Table("fit").Set("correction", 1.2, "measured")
	tiers := d.Elements("tier")
	tiers[0].Table("fit").Set("latency_factor", 3.0, "")
	tiers[1].Table("fit").Set("reach", 0.7, "")
	const want = `# Ours.
title = "Lab, calibrated" # two racks
source = [
  "https://a.example/#[x]", # read
  "runs",
]
note = """
[gpu]
[[tier]]
"""

[gpu]
preset = "h100"

[gpu.fit]
correction = 1.2 # measured

# Inside a node.
[[tier]]
kind = "nvlink"

[tier.fit]
latency = "9us"
latency_factor = 3.0

[[tier]] # outside
kind = "ib"
nics = 4 # shared

[tier.fit]
reach = 0.7
`
	if got := d.String(); got != want {
		t.Errorf("got\n%s", got)
	}
}

// TestInline: tables may be spelled in one line, by dotted keys or out of
// order, and mean the same (TOML 1.0.0, "Table" and "Inline Table").
func TestInline(t *testing.T) {
	for _, text := range []string{
		"gpu = {preset = 'x', fit = {gemm = 0.5}}\ntier = [{ranks = 8, fit = {p2p = 0.5}}, {ranks = 16}]\n",
		"gpu.preset = 'x'\ngpu.fit.gemm = 0.5\n[[tier]]\nranks = 8\nfit.p2p = 0.5\n[[tier]]\nranks = 16\n",
		"[[tier]]\nranks = 8\n[tier.fit]\np2p = 0.5\n[[ tier ]]\r\nranks = 16\r\n[ \"gpu\" . fit]\ngemm = 0.5\n[gpu]\npreset = 'x'\n",
	} {
		d, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		d.Root().Table("gpu").Table("fit").Set("memory", 0.9, "")
		for _, e := range d.Elements("tier") {
			e.Table("fit").Set("reach", 0.8, "")
		}
		var got map[string]any
		if _, err := toml.Decode(d.String(), &got); err != nil {
			t.Errorf("%v of\n%s", err, d)
		}
		want := map[string]any{
			"gpu": map[string]any{"preset": "x", "fit": map[string]any{"gemm": 0.5, "memory": 0.9}},
			"tier": []map[string]any{
				{"ranks": int64(8), "fit": map[string]any{"p2p": 0.5, "reach": 0.8}},
				{"ranks": int64(16), "fit": map[string]any{"reach": 0.8}},
			},
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%q became\n%s", text, d)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(lab)
	f.Add("a.b = {c = 1}\n[x.y]\nz = '''\n[q]'''\n")
	f.Fuzz(func(t *testing.T, text string) {
		d, err := Parse(text)
		if err != nil {
			return
		}
		var was, is map[string]any
		_, _ = toml.Decode(text, &was)
		if _, err := toml.Decode(d.String(), &is); err != nil {
			t.Fatalf("%q became %q: %v", text, d, err)
		}
		if len(was) != len(is) || !maps.EqualFunc(was, is, func(a, b any) bool { return toKey(a) == toKey(b) }) {
			t.Errorf("%q became %q", text, d)
		}
	})
}

func toKey(v any) string { text, _ := toml.Marshal(map[string]any{"v": v}); return string(text) }
