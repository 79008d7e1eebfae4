package strategies_test

import (
	"testing"

	"planner/costmodel/collective"
	"planner/internal/ask"
)

// DeepSpeed 0.19.6: stage 0 sums gradients after the backward pass
// (runtime/engine.py, allreduce_gradients), stages 1 and 2 wait for the gather of
// parameters (runtime/zero/stage_1_and_2.py, step), and MiCS sums the replicas of
// a shard at the boundary of accumulation (runtime/zero/mics.py).
func TestDeepSpeedOverlap(t *testing.T) {
	for _, c := range []struct {
		framework, layout, purpose string
		beside                     string
		whole                      bool // exposed whole
	}{
		{"deepspeed", "zero=0", "gradients", "", true},
		{"deepspeed", "zero=1", "gradients", "backward pass", false},
		{"deepspeed", "zero=1", "parameters", "", true},
		{"megatron", "zero=1", "parameters", "next forward pass", false},
	} {
		_, explained := asked(t, ask.Question{Model: "8b", GPUs: 64, GlobalBatch: 512, Framework: c.framework}, c.layout)
		calls := 0
		for _, x := range explained.Calls {
			if x.Axis != collective.AxisDP || x.Purpose != c.purpose {
				continue
			}
			calls++
			if whole := float64(x.Exposed) >= 0.8*float64(x.Total()); x.Overlaps != c.beside || whole != c.whole {
				t.Errorf("%s %s: %s beside %q, %v of %v exposed", c.framework, c.layout, x.Purpose, x.Overlaps, x.Exposed, x.Total())
			}
		}
		if calls == 0 {
			t.Errorf("%s %s: no call for %s", c.framework, c.layout, c.purpose)
		}
	}
}

func TestMiCSSumsOnce(t *testing.T) {
	for framework, want := range map[string]bool{"deepspeed": true, "torchtitan": false} {
		_, explained := asked(t, ask.Question{Model: "8b", GPUs: 64, GlobalBatch: 512, Framework: framework}, "zero=3,shard=8") // 8 micro-batches
		scattered, summed := 0.0, 0.0
		for _, x := range explained.Calls {
			switch {
			case x.Op == collective.ReduceScatter && x.Axis == collective.AxisDP:
				scattered += x.Count
			case x.Purpose == "gradient shard across replicas":
				summed += x.Count
			}
		}
		if once := summed*8 == scattered; summed == 0 || once != want {
			t.Errorf("%s: %v scatters, %v sums over replicas", framework, scattered, summed)
		}
	}
}
