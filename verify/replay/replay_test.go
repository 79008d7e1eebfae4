package replay_test

import (
	"context"
	"math"
	"testing"

	"go.uber.org/goleak"

	"planner/costmodel/collective"
	"planner/hardware"
	"planner/internal/catalog"
	"planner/strategies"
	"planner/verify/host"
	"planner/verify/replay"
	"planner/verify/transport"
)

// small is a problem whose steps compute for some milliseconds.
func small(t *testing.T, shape string, batch int) (*strategies.Problem, *transport.Shape) {
	t.Helper()
	s, err := transport.ParseShape(shape)
	if err != nil {
		t.Fatal(err)
	}
	m, err := catalog.ParseModelTOML("small.toml", []byte(`style = "llama"
layers = 8
hidden = 64
heads = 8
kv_heads = 4
ffn = 128
vocab = 256
seq_len = 64
`))
	if err != nil {
		t.Fatal(err)
	}
	c := host.Profile(s)
	profiles, err := catalog.Profiles("any")
	if err != nil {
		t.Fatal(err)
	}
	kernels, err := catalog.LoadKernels(c.GPU.Arch, c.GPU.Name)
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range profiles {
		own := *p
		own.Fit, own.Default = nil, strategies.ProfileFit{TPExposed: 1, TPBeside: 1, CPExposed: 1, EPExposed: 1, PPExposed: 1,
			Pointwise: 1, Optimizer: 1, Compute: 1, Saved: 1}
		profiles[i] = &own
	}
	w := strategies.Workload{Seq: 64, GlobalBatch: batch, Precision: hardware.BF16}
	return strategies.NewProblem(m, c, w, profiles, kernels.Constants, host.Constants(c)), s
}

func layouts(p *strategies.Problem) []strategies.Estimate {
	space := strategies.Space{MBS: []int{1}, Recompute: []strategies.Recompute{strategies.RecomputeNone},
		Schedules: []strategies.Schedule{strategies.OneFOneB, strategies.GPipe}}
	return strategies.Search(context.Background(), p, space, strategies.Options{KeepAll: true}).Ranking
}

// TestPlansMakeTheVeryCalls: a program starts every call of the explanation as
// often as it is listed, and computes as long as the estimate says. A shift
// (Send and Recv of one exchange) is one start.
func TestPlansMakeTheVeryCalls(t *testing.T) {
	p, _ := small(t, "2x4:ib=40MB/s", 16)
	list := layouts(p)
	if len(list) < 50 {
		t.Fatalf("%d layouts: too few to tell", len(list))
	}
	for _, e := range list {
		plan := replay.Build(p, e.Layout, e.Framework)
		for i := range plan.Calls {
			c := &plan.Calls[i]
			want := c.Count
			if !c.Phase.InStep() || c.Op == collective.Recv && c.Axis != collective.AxisPP {
				want = 0
			}
			if got := plan.Starts(i); math.Abs(float64(got)-want) > 0.51 {
				t.Errorf("%s: %v %q of stage %d starts %d times, listed %v", e.Layout, c.Op, c.Purpose, c.Stage, got, want)
			}
		}
		want := float64(e.Compute + e.Optimizer)
		if got := float64(plan.Compute[e.Slowest]); math.Abs(got/want-1) > 1e-6 {
			t.Errorf("%s: computes %v s, want %v", e.Layout, got, want)
		}
	}
}

// TestEveryPlanRuns replays layouts of every kind without emulated links: no
// two ranks wait for each other, every call is seen by its whole group, and
// nothing is left behind.
func TestEveryPlanRuns(t *testing.T) {
	defer goleak.VerifyNone(t)
	p, s := small(t, "2x2:", 8)
	var plans []*replay.Plan
	for _, e := range layouts(p) {
		plans = append(plans, replay.Build(p, e.Layout, e.Framework))
	}
	job, err := replay.Open(transport.Options{Shape: s}, 4, plans)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := job.Close(); err != nil {
			t.Error(err)
		}
	}()
	for i, plan := range plans {
		_, calls, err := job.Step(context.Background(), i)
		if err != nil {
			t.Fatalf("%s: %v", plan.Layout, err)
		}
		want := 0
		for r := range plan.Calls {
			want += plan.Starts(r) * 4 / plan.Layout.PP / groupSize(&plan.Calls[r])
		}
		if len(calls) < want/2 || len(calls) == 0 && want > 0 {
			t.Errorf("%s: %d calls seen, want about %d", plan.Layout, len(calls), want)
		}
	}
}

func groupSize(c *collective.Call) int {
	if c.Axis == collective.AxisPP {
		return 1
	}
	return c.Span.Size
}

func TestStepEndsWithItsContext(t *testing.T) {
	defer goleak.VerifyNone(t)
	p, s := small(t, "2x2:ib=40MB/s", 8)
	e := layouts(p)[0]
	job, err := replay.Open(transport.Options{Shape: s}, 4, []*replay.Plan{replay.Build(p, e.Layout, e.Framework)})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := job.Step(ctx, 0); err == nil {
		t.Error("a cancelled step ended well")
	}
	if err := job.Close(); err != nil {
		t.Error(err)
	}
}
