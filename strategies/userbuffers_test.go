package strategies_test

import (
	"testing"

	"planner/costmodel/collective"
	"planner/hardware/unit"
	"planner/internal/ask"
	"planner/internal/catalog"
)

// TP calls of a layer hide in part where userbuffers can run, and stay exposed
// whole where they cannot.
func TestUserbuffers(t *testing.T) {
	for _, c := range []struct {
		hardware, layout string
		perNode          int
		hidden           bool
	}{
		{"h100-sxm-80gb", "tp=8,zero=1", 8, true},
		{"h100-sxm-80gb", "tp=8,zero=1,sp=false", 8, false},
		{"h100-sxm-80gb", "tp=8,zero=1", 4, false},
		{"mi300x", "tp=8,zero=1", 8, false},
	} {
		_, x := asked(t, ask.Question{Model: "70b", GPUs: 64, Hardware: c.hardware, Framework: "megatron", Options: catalog.ClusterOptions{GPUsPerNode: c.perNode}}, c.layout)
		calls := 0
		for _, call := range x.Calls {
			if call.Axis != collective.AxisTP || call.Phase != collective.Forward {
				continue
			}
			calls++
			if hidden := call.Exposed < call.Total(); hidden != c.hidden {
				t.Errorf("%s on %s, %d a node: %s %q exposes %v of %v", c.layout, c.hardware, c.perNode, call.Op, call.Purpose, call.Exposed, call.Total())
			}
		}
		if calls == 0 {
			t.Errorf("%s: no TP call", c.layout)
		}
	}
}

// Ten buffers of the hidden state of a micro-batch, 8192 tokens of 8192 elements,
// six of them in 8 bits where products are (TransformerEngine
// pytorch/module/base.py, initialize_ub).
func TestUserbufferMemory(t *testing.T) {
	for _, c := range []struct {
		precision, layout string
		want              float64
	}{
		{"bf16", "tp=8,zero=1", 8192 * 8192 * 10 * 2},
		{"bf16", "tp=8,zero=1,mbs=2", 8192 * 8192 * 10 * 2 * 2},
		{"bf16", "tp=4,cp=2,zero=1", 8192 * 8192 * 10 * 2 / 2},
		{"fp8", "tp=8,zero=1", 8192 * 8192 * (6 + 4*2)},
	} {
		runtime := func(layout string) unit.Bytes {
			_, x := asked(t, ask.Question{Model: "70b", GPUs: 64, Framework: "megatron", Precision: c.precision}, layout)
			return x.Memory.Runtime
		}
		if got := float64(runtime(c.layout) - runtime(c.layout+",sp=false")); got != c.want {
			t.Errorf("%s in %s: %.0f, want %.0f", c.layout, c.precision, got, c.want)
		}
	}
}
