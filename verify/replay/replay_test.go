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

// open is two nodes of two ranks whose links nothing shapes.
const open = ""

// small is a problem whose steps compute for some milliseconds.
func small(t *testing.T, shape string, batch int) (*strategies.Problem, *transport.Shape) {
	t.Helper()
	s := &transport.Shape{Nodes: 2, PerNode: 2} // the machine's own links
	var err error
	if shape != open {
		if s, err = transport.ParseShape(shape); err != nil {
			t.Fatal(err)
		}
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
// two ranks wait for each other, every call is measured, and nothing is left
// behind.
func TestEveryPlanRuns(t *testing.T) {
	defer goleak.VerifyNone(t)
	p, s := small(t, open, 8)
	var plans []*replay.Plan
	work := &replay.Work{Rounds: 1}
	for _, e := range layouts(p) {
		plan := replay.Build(p, e.Layout, e.Framework)
		plans, work.Programs = append(plans, plan), append(work.Programs, plan.Program())
	}
	b, err := replay.NewLocal(s)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	}()
	r, err := b.Run(context.Background(), work, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, plan := range plans {
		for row := range plan.Calls {
			if got, starts := r.Steps[i].Rows[row].N, plan.Starts(row); (got > 0) != (starts > 0) {
				t.Errorf("%s: %v %q: %d times measured, %d starts", plan.Layout, plan.Calls[row].Op, plan.Calls[row].Purpose, got, starts)
			}
		}
	}
}

func TestStepEndsWithItsContext(t *testing.T) {
	defer goleak.VerifyNone(t)
	p, s := small(t, "2x2:ib=40MB/s", 8)
	e := layouts(p)[0]
	b, err := replay.NewLocal(s)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := b.Run(ctx, &replay.Work{Programs: []*replay.Program{replay.Build(p, e.Layout, e.Framework).Program()}}, nil); err == nil {
		t.Error("a cancelled step ended well")
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
}
