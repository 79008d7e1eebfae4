package strategies_test

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"planner/costmodel/collective"
	"planner/hardware/unit"
	"planner/strategies"
)

// near reports whether two values agree within a share of the larger.
func near(a, b, share float64) bool {
	return a == b || math.Abs(a-b) <= share*max(math.Abs(a), math.Abs(b))
}

// identities returns what is wrong with an explanation: the identities of an
// estimate on its slowest stage, and of its memory on its fullest.
func identities(p *strategies.Problem, x *strategies.Explanation) []string {
	var wrong []string
	must := func(ok bool, what string) {
		if !ok {
			wrong = append(wrong, what)
		}
	}
	e := &x.Estimate
	must(near(float64(e.Compute+e.Bubble+e.ExposedTotal()+e.Optimizer+e.Overhead), float64(e.Step), 1e-9), "the terms do not sum to the step")
	var by [collective.NumAxes]unit.Seconds
	for i := range x.Calls {
		if c := &x.Calls[i]; c.Stage == e.Slowest && c.Phase.InStep() {
			by[c.Axis] += c.Exposed
		}
	}
	for a := range by {
		must(near(float64(by[a]), float64(e.Exposed[a]), 1e-9) || math.Abs(float64(by[a]-e.Exposed[a])) < 1e-12*float64(e.Step),
			"calls expose another time on "+collective.Axis(a).String())
	}
	must(e.Bubble >= 0 && e.Compute > 0 && e.Overhead >= 0 && e.Optimizer >= 0, "a negative term")
	var fullest unit.Bytes
	for i := range x.Stages {
		fullest = max(fullest, x.Stages[i].Total())
	}
	must(near(float64(fullest), float64(e.Memory.Total()), 1e-12), "the fullest stage is another")
	must(e.Fits == (e.Memory.Total() <= p.Capacity()), "fits against the capacity")
	r := p.Rates(e)
	must(r.MFU > 0 && r.MFU <= 1 && r.MFUCausal > 0 && r.MFUCausal <= r.MFU && r.HFU >= r.MFU, "MFU out of range")
	must(near(r.TokensPerSecondPerGPU*float64(e.Step)*float64(p.Cluster.GPUs), p.Work.Tokens(), 1e-9), "tokens per second")
	return wrong
}

// same returns the fields in which two estimates differ by more than share.
func same(a, b *strategies.Estimate, share float64) []string {
	var out []string
	for _, f := range []struct {
		name string
		a, b float64
	}{
		{"step", float64(a.Step), float64(b.Step)}, {"compute", float64(a.Compute), float64(b.Compute)},
		{"bubble", float64(a.Bubble), float64(b.Bubble)}, {"exposed", float64(a.ExposedTotal()), float64(b.ExposedTotal())},
		{"optimizer", float64(a.Optimizer), float64(b.Optimizer)}, {"overhead", float64(a.Overhead), float64(b.Overhead)},
		{"memory", float64(a.Memory.Total()), float64(b.Memory.Total())},
	} {
		if !near(f.a, f.b, share) && math.Abs(f.a-f.b) > 1e-12*float64(a.Step) {
			out = append(out, f.name)
		}
	}
	if a.Slowest != b.Slowest || a.Fits != b.Fits || a.Layout != b.Layout {
		out = append(out, "slowest, fits or layout")
	}
	return out
}

// TestIdentities checks the identities on random legal layouts of every model
// and framework, options of flags included.
func TestIdentities(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	ps := problems(t)
	for i := range 4000 {
		d := draw(r, ps[i%len(ps)])
		x := d.p.Explain(d.l, d.f)
		if wrong := identities(d.p, x); wrong != nil {
			t.Errorf("%s on %s under %s: %v", d.l, d.p.Model.Name, d.f.Name, wrong)
		}
		e := d.p.Estimate(d.l, d.f)
		if wrong := same(&e, &x.Estimate, 1e-9); wrong != nil {
			t.Errorf("%s on %s under %s: estimate and explanation differ in %v", d.l, d.p.Model.Name, d.f.Name, wrong)
		}
	}
}

// TestSearchExplained draws 10,000 layouts out of whole searches, whose blocks
// are cached and shared between layouts, and holds each against the sum of its
// own blocks.
func TestSearchExplained(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	ps := problems(t)
	checked := 0
	for i, p := range ps {
		res := strategies.Search(t.Context(), p, strategies.Space{MBS: []int{1, 4}}, strategies.Options{KeepAll: true})
		if len(res.Ranking) == 0 {
			continue
		}
		for range (10000 - checked) / (len(ps) - i) {
			e := &res.Ranking[r.IntN(len(res.Ranking))]
			checked++
			x := p.Explain(e.Layout, e.Framework)
			if wrong := same(e, &x.Estimate, 1e-9); wrong != nil {
				t.Errorf("%s on %s: search and explanation differ in %v", e.Layout, p.Model.Name, wrong)
			}
			if wrong := identities(p, x); wrong != nil {
				t.Errorf("%s on %s: %v", e.Layout, p.Model.Name, wrong)
			}
		}
	}
	if checked < 10000 {
		t.Errorf("%d layouts checked, want 10,000", checked)
	}
}

// TestLayoutString checks that the canonical spelling reads back as the same
// layout, alone and in its order of keys.
func TestLayoutString(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	ps := problems(t)
	for i := range 5000 {
		d := draw(r, ps[i%len(ps)])
		l, err := strategies.ParseLayout(d.l.String())
		if err != nil {
			t.Fatalf("%s: %v", d.l, err)
		}
		got, v := l.Complete(d.p.Cluster.GPUs)
		if v != nil || got != d.l {
			t.Fatalf("%s reads back as %s (%v)", d.l, got, v)
		}
		if got.String() != d.l.String() {
			t.Fatalf("%s is spelled %s the second time", d.l, got)
		}
	}
}

// TestMemoryFalls checks that a higher ZeRO stage and a wider TP never need
// more memory for parameters and optimizer state.
func TestMemoryFalls(t *testing.T) {
	state := func(e *strategies.Estimate) unit.Bytes {
		m := &e.Memory
		return m.Weights + m.Gradients + m.Master + m.Moments
	}
	p := problems(t)[6] // a dense model under deepspeed, which has every stage
	r := rand.New(rand.NewPCG(11, 12))
	for range 500 {
		d := draw(r, p)
		if d.l.Offload != strategies.OffloadNone || d.l.HPZ > 0 {
			continue
		}
		last := unit.Bytes(math.Inf(1))
		for zero := range 4 {
			l := d.l
			l.Zero, l.Shard = zero, l.DataRanks()
			if p.Check(&l, d.f) != nil {
				continue
			}
			e := p.Estimate(l, d.f)
			if state(&e) > last {
				t.Errorf("%s holds %v of state, a lower stage %v", l, state(&e), last)
			}
			last = state(&e)
		}
	}
	p = problems(t)[0]
	last := unit.Bytes(math.Inf(1))
	for tp := 1; tp <= 8; tp *= 2 {
		l, v := strategies.Layout{TP: tp, SP: tp > 1}.Complete(p.Cluster.GPUs)
		if v != nil {
			t.Fatal(v)
		}
		e := p.Estimate(l, p.Profiles[0])
		if e.Memory.Total() >= last {
			t.Errorf("tp=%d needs %v, half of it %v", tp, e.Memory.Total(), last)
		}
		last = e.Memory.Total()
	}
}

// TestWorkers checks that a ranking does not depend on how many workers made
// it.
func TestWorkers(t *testing.T) {
	for _, p := range []*strategies.Problem{problems(t)[1], problems(t)[8]} {
		one := strategies.Search(t.Context(), p, strategies.Space{}, strategies.Options{Workers: 1, Top: 50})
		for _, n := range []int{2, 3, 7} {
			many := strategies.Search(t.Context(), p, strategies.Space{}, strategies.Options{Workers: n, Top: 50})
			one.Elapsed, many.Elapsed = 0, 0
			if !reflect.DeepEqual(one, many) {
				t.Errorf("%s: %d workers find something else than one", p.Model.Name, n)
			}
		}
	}
}
