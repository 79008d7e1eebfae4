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

// Nemotron-H's Mamba-2 layers exchange 18,560 elements a token before the scan and
// 8,192 after it (Megatron-LM core/ssm/mamba_context_parallel.py): of 4,096 tokens
// over two tensor-parallel ranks 76.0 and 33.6 MB.
func TestScanExchangesHeads(t *testing.T) {
	a, e := estimateOf(t, question("nemotron-h-8b", "h100-sxm-80gb", "megatron", 64, 64, 8192), "tp=2,cp=2,dp=16,zero=1")
	sizes := map[string]float64{}
	x := a.Problem.Explain(e.Layout, e.Framework)
	for _, c := range x.Calls {
		if c.Axis == collective.AxisCP && c.Phase == collective.Forward && c.Op == collective.AllToAll {
			sizes[c.Purpose] += float64(c.Bytes)
		}
	}
	out := sizes["scan output"]
	in := sizes["gate"] + sizes["scan input"] + sizes["state input"] + sizes["state output"] + sizes["step"]
	if in != 4096*18560/2*2 || out != 4096*8192/2*2 {
		t.Errorf("%g in, %g out: %v", in, out, sizes)
	}
}
