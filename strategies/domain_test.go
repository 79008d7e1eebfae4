package strategies_test

import (
	"testing"

	"planner/costmodel/collective"
)

// Userbuffers overlap TP calls with products over NVLink alone (TransformerEngine
// issue 1071, answer of 2024-08-02): over two nodes of eight a Megatron step waits
// for each of them whole.
func TestTensorOverlapEndsWithTheDomain(t *testing.T) {
	for _, c := range []struct {
		cluster, layout string
		hidden          bool
	}{
		{"h100-sxm-80gb", "tp=8,dp=2,zero=1", true},
		{"h100-sxm-80gb", "tp=16,zero=1", false},
	} {
		a, e := estimateOf(t, question("llama3.1-70b", c.cluster, "megatron", 16, 64, 8192), c.layout)
		x := a.Problem.Explain(e.Layout, e.Framework)
		for _, call := range x.Calls {
			if call.Purpose != "layer input" || call.Phase != collective.Forward {
				continue
			}
			if alone := call.Seconds.Times(call.Count); (call.Exposed < alone.Times(0.999)) != c.hidden {
				t.Errorf("%s: %v of %v exposed", c.layout, call.Exposed, alone)
			}
		}
	}
}
