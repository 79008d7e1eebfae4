package strategies_test

import (
	"testing"

	"planner/costmodel/collective"
	"planner/internal/ask"
	"planner/strategies"
)

// Stages of two ranks on nodes of eight: three boundaries of four lie inside a
// node, the fourth between two, and the calls of each stage say so.
func TestHopsInsideANode(t *testing.T) {
	a, err := ask.Ask(ask.Question{Model: "llama3.1-8b", GPUs: 32, GlobalBatch: 64, SeqLen: 4096, Framework: "megatron"})
	if err != nil {
		t.Fatal(err)
	}
	l, err := strategies.ParseLayout("pp=16,dp=2,zero=1")
	if err != nil {
		t.Fatal(err)
	}
	l, _ = l.Complete(32)
	x := a.Problem.Explain(l, a.Problem.Profiles[0])
	var near, far float64
	for i := range x.Calls {
		c := &x.Calls[i]
		if c.Op != collective.Recv || c.Axis != collective.AxisPP {
			continue
		}
		boundary := c.Stage
		if c.Phase == collective.Forward {
			boundary--
		}
		crosses := boundary%4 == 3
		if (c.Span.Domains == 2) != crosses {
			t.Errorf("stage %d %s: %d nodes over boundary %d", c.Stage, c.Phase, c.Span.Domains, boundary)
		}
		if crosses {
			far = float64(c.Seconds)
		} else {
			near = float64(c.Seconds)
		}
	}
	// 16 MiB a hop: 360 GB/s of NVLink against 25 of the NIC's 50 (nccl-tests
	// sendrecv on H100, github.com/xxrjun/nccl-tests-cluster).
	if far < 5*near || far > 20*near {
		t.Errorf("a hop between nodes takes %.0f us, inside %.0f us", far*1e6, near*1e6)
	}
}
