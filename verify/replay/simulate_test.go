package replay_test

import (
	"math"
	"testing"

	"planner/hardware/unit"
	"planner/strategies"
	"planner/verify/replay"
)

// TestSimulation: under every framework, with the planned times of its calls a simulated step takes
// about what the estimate says, never less than the compute of a rank, and
// longer calls never shorten it.
func TestSimulation(t *testing.T) {
	p, _ := small(t, "2x4:nvlink=400MB/s,ib=40MB/s,delay=100us", 16)
	all := p.Profiles
	simulated(t, p, "any", 0.02)
	for _, f := range all {
		p.Profiles = []*strategies.Profile{f}
		simulated(t, p, f.Name, 0.03)
	}
}

// simulated holds the simulated steps of a problem's layouts against their
// estimates, which they may miss by most on average.
func simulated(t *testing.T, p *strategies.Problem, name string, most float64) {
	off := 0.0
	list := layouts(p)
	for _, e := range list {
		got := simulate(t, p, &e)
		off += math.Abs(float64(got/e.Step)-1) / float64(len(list))
		if k := float64(got / e.Step); k < 0.6 || k > 1.6 {
			t.Errorf("%s %s: simulated %v, estimated %v: %.2f", name, e.Layout, got, e.Step, k)
		}
	}
	t.Logf("%s: %d layouts: simulated and estimated steps differ by %.1f %% on average", name, len(list), 100*off)
	if off > most {
		t.Errorf("%s: simulated and estimated steps differ by %.1f %% on average, want at most %.0f %%", name, 100*off, 100*most)
	}
}

func simulate(t *testing.T, p *strategies.Problem, e *strategies.Estimate) unit.Seconds {
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
	return got
}
