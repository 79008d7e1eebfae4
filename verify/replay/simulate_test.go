package replay_test

import (
	"math"
	"testing"

	"planner/hardware/unit"
	"planner/verify/replay"
)

// TestSimulation: with the planned times of its calls a simulated step takes
// about what the estimate says, never less than the compute of a rank, and
// longer calls never shorten it.
func TestSimulation(t *testing.T) {
	p, _ := small(t, "2x4:nvlink=400MB/s,ib=40MB/s,delay=100us", 16)
	off := 0.0
	list := layouts(p)
	for _, e := range list {
		plan := replay.Build(p, e.Layout, e.Framework)
		calls, longer := make([]unit.Seconds, len(plan.Calls)), make([]unit.Seconds, len(plan.Calls))
		for i := range calls {
			calls[i] = plan.Calls[i].Seconds
			longer[i] = calls[i].Times(1.5)
		}
		got, err := plan.Simulate(calls)
		if err != nil {
			t.Fatalf("%s: %v", e.Layout, err)
		}
		if got < plan.Compute[e.Slowest] {
			t.Errorf("%s: %v, less than its compute, %v", e.Layout, got, plan.Compute[e.Slowest])
		}
		if more, err := plan.Simulate(longer); err != nil || more < got-1e-12 {
			t.Errorf("%s: %v, with longer calls %v, %v", e.Layout, got, more, err)
		}
		off += math.Abs(float64(got/e.Step)-1) / float64(len(list))
		if k := float64(got / e.Step); k < 0.6 || k > 1.6 {
			t.Errorf("%s: simulated %v, estimated %v: %.2f", e.Layout, got, e.Step, k)
		}
	}
	t.Logf("%d layouts: simulated and estimated steps differ by %.1f %% on average", len(list), 100*off)
}
