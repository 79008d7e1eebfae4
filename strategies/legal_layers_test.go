package strategies_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"planner/internal/catalog"
	"planner/strategies"
)

var (
	changed = regexp.MustCompile(`[a-z]+=[a-z0-9]+`)
	dropped = regexp.MustCompile(`(?:drop|without) (.*)`)
)

// mended applies one remedy to the text of a layout.
func mended(layout, remedy string) string {
	pairs := strings.Split(layout, ",")
	replace := func(key, pair string) {
		kept := []string{}
		for _, p := range pairs {
			if k, _, _ := strings.Cut(p, "="); k != key {
				kept = append(kept, p)
			}
		}
		if pair != "" {
			kept = append(kept, pair)
		}
		pairs = kept
	}
	for _, pair := range changed.FindAllString(remedy, -1) {
		key, _, _ := strings.Cut(pair, "=")
		replace(key, pair)
	}
	if m := dropped.FindStringSubmatch(remedy); m != nil {
		for _, key := range strings.Split(m[1], " and ") {
			replace(key, "")
		}
	}
	return strings.Join(pairs, ",")
}

// ofLayers reports whether a refusal is about the split of layers, or of GPUs.
func ofLayers(v *strategies.Violation) bool {
	return v != nil && (v.Rule == strategies.RuleLayers || v.Rule == strategies.RuleEmpty || v.Rule == strategies.RuleWorld)
}

// Each remedy that a refusal names passes the check that refused, with nothing
// else changed, and there is always one.
func TestRemediesOfLayersAreLegal(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		layers := rapid.SampledFrom([]int{1, 2, 7, 32, 61, 80, 126}).Draw(r, "layers")
		framework := rapid.SampledFrom([]string{"megatron", "torchtitan", "nanotron"}).Draw(r, "framework")
		gpus := 1 << rapid.IntRange(0, 10).Draw(r, "log GPUs") * rapid.SampledFrom([]int{1, 3, 7}).Draw(r, "odd")
		p := problemOf(t, shaped(t, catalog.Shape{Layers: layers, Hidden: 1024, Heads: 16}), framework, gpus, 1024)
		layout := fmt.Sprintf("tp=%d,pp=%d", 1<<rapid.IntRange(0, 3).Draw(r, "log tp"), rapid.IntRange(1, 24).Draw(r, "pp"))
		for _, key := range []string{"vpp", "first", "last"} {
			if rapid.Bool().Draw(r, key+" given") {
				layout += fmt.Sprintf(",%s=%d", key, rapid.IntRange(1, 24).Draw(r, key))
			}
		}
		v := refusal(t, p, layout)
		if v == nil || v.Rule != strategies.RuleLayers && v.Rule != strategies.RuleEmpty {
			return
		}
		if v.Remedy == "" {
			r.Fatalf("%s: no remedy", layout)
		}
		for _, remedy := range v.Offers {
			if again := refusal(t, p, mended(layout, remedy)); ofLayers(again) {
				r.Errorf("%s of %d layers on %d GPUs: %v; but %s: %v", layout, layers, gpus, v, mended(layout, remedy), again)
			}
		}
	})
}

// Of llama3.1-405b's 126 layers: 63 and 126 are chunks, not stages; 14 and 18 do
// not divide 2,048 ranks; 112 of 126 over 14 stages are no eight chunks each.
func TestRemediesOfLayers(t *testing.T) {
	m, err := catalog.Model("llama3.1-405b")
	if err != nil {
		t.Fatal(err)
	}
	p := problemOf(t, m, "megatron", 16384, 2048)
	for _, c := range []struct{ layout, reason, remedy string }{
		{"tp=8,pp=4,vpp=31", "126 layers do not split evenly over 124 stages", "use vpp=1,first=32,last=32"},
		{"tp=8,pp=16", "126 layers do not split evenly over 16 stages", "add first=7,last=7 or use pp=2"},
		{"tp=8,pp=16,vpp=8,first=7,last=7", "126 layers cannot fill 128 stages: a stage would hold no trainable parameters", "use vpp=1 or pp=1,vpp=1 without first and last"},
		{"tp=8,pp=16,first=30,last=30", "the 66 layers left do not split evenly over the other 14 stages", "use first=7,last=7 or pp=8"},
		{"tp=8,pp=2,first=3,last=9", "114 of 126 layers are left, and no other stage", ""},
		{"tp=8,first=3", "one stage holds every layer", ""},
		{"tp=8,pp=4,first=100,last=100", "more than the 126 layers of the model", ""},
		{"tp=8,pp=4,vpp=2,first=3,last=9", "not a multiple of vpp=2", ""},
	} {
		v := refusal(t, p, c.layout)
		if v == nil || v.Reason != c.reason || c.remedy != "" && v.Remedy != c.remedy {
			t.Errorf("%s: %v, want %q: %q", c.layout, v, c.reason, c.remedy)
		}
	}
}
