package strategies_test

import (
	"math"
	"testing"

	"planner/costmodel/collective"
	"planner/internal/ask"
)

// What DeepSpeed's trace of a pass gives by hand: a Llama-3 70B layer has 855.6 M
// elements in matrices, gathered as queries; keys, values and output; gate; up;
// down. A recomputed layer's last 5e8 elements are within max_reuse_distance of
// their backward pass; the rest is gathered a third time.
func TestDeepSpeedGathersRecomputedLayersAgain(t *testing.T) {
	for _, c := range []struct {
		layout   string
		fwd, bwd float64 // calls on layers, a micro-batch
	}{
		{"zero=3,recompute=full", 5 * 80, 80 * 5 * (1 + (855.638016-500)/855.638016)},
		{"zero=3", 5 * 80, 80 * 5}, // the head alone fills the distance
		{"zero=3,recompute=full:40", 5 * 80, 80 * 5 * (1 + 0.5*(855.638016-500)/855.638016)},
	} {
		a, err := ask.Ask(question("llama3.1-70b", "", "deepspeed", 64, 64, 8192))
		if err != nil {
			t.Fatal(err)
		}
		l, f, err := a.Layout(c.layout)
		if err != nil {
			t.Fatal(err)
		}
		got := map[collective.Phase]float64{}
		for _, call := range a.Problem.Explain(l, f).Calls {
			if call.Op == collective.AllGather && call.Purpose == "layer parameters" {
				got[call.Phase] += call.Count
			}
		}
		if got[collective.Forward] != c.fwd || math.Abs(got[collective.Backward]-c.bwd) > 1.5 {
			t.Errorf("%s: %v calls, want %v forward and %v backward", c.layout, got, c.fwd, c.bwd)
		}
	}
}
