package verdict

import (
	"context"
	"errors"
	"time"

	"planner/hardware"
	"planner/internal/catalog"
	"planner/strategies"
	"planner/verify/host"
	"planner/verify/launch"
	"planner/verify/replay"
	"planner/verify/transport"
)

// open returns the ranks of the question, and what closes them.
func (r *Run) open() (replay.Backend, func() error, error) {
	if r.Backend != nil {
		return r.Backend, func() error { return nil }, nil
	}
	if r.Kind != transport.Goroutine {
		b := &replay.Spawned{Spec: launch.Spec{Ranks: r.Shape.Ranks(), Kind: r.Kind, Shape: r.Shape}}
		switch open := *r.Shape == (transport.Shape{Nodes: 1, PerNode: r.Shape.PerNode}); {
		case open:
			b.Spec.Shape = nil
		case r.Kind == transport.TCP || r.Kind == transport.Unix:
			return nil, nil, catalog.Errorf("--transport %v: emulated links need shared memory: want shm, mixed or goroutine, or --hardware host", r.Kind)
		}
		return b, b.Close, nil
	}
	b, err := replay.NewLocal(r.Shape)
	if err != nil {
		return nil, nil, err
	}
	return b, b.Close, nil
}

// work carries out a work on the ranks of the question.
func (r *Run) work(ctx context.Context, w *replay.Work) (*replay.Result, replay.Place, error) {
	b, done, err := r.open()
	if err != nil {
		return nil, replay.Place{}, err
	}
	place := b.Place()
	out, err := b.Run(ctx, w, r.Progress)
	return out, place, errors.Join(err, done())
}

// own measures this machine, or the machines of the ranks, and describes them.
func (r *Run) own(ctx context.Context) error {
	m := host.Measure()
	r.Machine = &m
	c := host.Profile(r.Shape)
	out, _, err := r.work(ctx, &replay.Work{Probe: probeSpec(c)})
	if err != nil {
		return err
	}
	if p := out.Probes; r.Shape.Nodes == 1 && len(p) == 1 {
		r.Profile = m.Cluster(r.Shape.Ranks(), host.Link{Latency: p[0].Latency, Shared: p[0].Shared})
		return nil
	}
	for _, p := range out.Probes {
		t := &c.Tiers[min(p.Tier, len(c.Tiers)-1)]
		t.Fit.Latency, t.Fit.Stated = p.Latency, hardware.StatedAll
		setRates(c, t, p.Tier > 0, p.Alone, p.Shared)
	}
	c.Name, c.Title = OwnMachine, "the machines of these ranks"
	r.Profile = c
	return nil
}

// probeSpec says what the links of a profile are expected to do.
func probeSpec(c *hardware.Cluster) *replay.ProbeSpec {
	return &replay.ProbeSpec{PerNode: c.PerNode, Inside: float64(c.Tiers[0].Bandwidth), Between: float64(c.Tiers[len(c.Tiers)-1].Bandwidth)}
}

// Measure replays the layouts, or samples their calls, and judges. The links
// are measured on their own once the layouts have been.
func (r *Run) Measure(ctx context.Context) (*Report, error) {
	start := time.Now()
	out, err := r.replayAll(ctx)
	if err != nil {
		return nil, err
	}
	if m := r.Machine; m != nil {
		out.Machine = &Machine{m.Cores, float64(m.Copy), float64(m.Reduce)}
	}
	out.Seconds = time.Since(start).Seconds()
	out.share()
	out.Judge()
	return out, nil
}

func (r *Run) replayAll(ctx context.Context) (*Report, error) {
	if r.Sampled {
		return r.sampleAndScale(ctx)
	}
	plans := r.plans()
	w := &replay.Work{Rounds: r.Rounds, Budget: r.Budget, Probe: probeSpec(r.Profile)}
	for _, p := range plans {
		w.Programs = append(w.Programs, p.Program())
	}
	m, place, err := r.work(ctx, w)
	if err != nil {
		return nil, err
	}
	out := r.head(place)
	out.Rounds, out.Redone, out.Repeated, out.RealTime = m.Rounds, m.Redone, m.Repeated, m.RealTime
	for i, e := range r.Chosen {
		out.Layouts = append(out.Layouts, layoutOf(&e, plans[i], &m.Steps[i]))
	}
	out.Calls = collect(plans, &m.Measurement)
	for _, p := range m.Probes {
		out.Links = append(out.Links, linkOf(r.Profile, p))
	}
	return out, nil
}

func (r *Run) plans() []*replay.Plan {
	var plans []*replay.Plan
	for _, e := range r.Chosen {
		plans = append(plans, replay.Build(r.Problem, e.Layout, e.Framework))
	}
	return plans
}

// head is a report of what was asked.
func (r *Run) head(p replay.Place) *Report {
	out := &Report{SchemaVersion: 1, Emulate: r.Emulate, Profile: r.Hardware, Seed: r.Seed, Ranks: r.Shape.Ranks(), Nodes: r.Shape.Nodes,
		Model: r.Problem.Model.Title, SeqLen: r.SeqLen, Batch: r.Batch, Choice: r.choice(), Where: p.What}
	if out.Model == "" {
		out.Model = r.Problem.Model.Name
	}
	if r.Sampled {
		out.GPUs, out.Cluster, out.Slow = r.Problem.Cluster.GPUs, r.Problem.Cluster.Title, r.slow
	}
	return out
}

// choice says how the layouts were chosen.
func (r *Run) choice() string {
	switch {
	case len(r.Layouts) > 0:
		return ChoiceGiven
	case r.Best:
		return ChoiceBest
	}
	return ChoiceSpread
}

func layoutOf(e *strategies.Estimate, p *replay.Plan, s *replay.Step) Layout {
	l := Layout{Layout: e.Layout.String(), Framework: e.Framework.Name, Predicted: float64(e.Step),
		Measured: float64(s.Median), StdErr: float64(s.Error), Compute: float64(p.Compute[e.Slowest])}
	for _, t := range s.Times {
		l.Times = append(l.Times, float64(t))
	}
	for _, a := range p.Axes(s) {
		l.Axes = append(l.Axes, Axis{a.Axis.String(), float64(a.Predicted), float64(a.Measured)})
	}
	return l
}

func linkOf(c *hardware.Cluster, p replay.Probe) Link {
	tier := c.ScaleUp
	if p.Tier > 0 {
		tier = len(c.Tiers) - 1
	}
	t := &c.Tiers[tier]
	l := Link{Tier: string(t.Kind), Between: p.Tier > 0, Latency: float64(t.Fit.Latency), Bandwidth: float64(t.Bandwidth.Times(t.Fit.Reach)), Sharing: 1,
		Probed: Probed{float64(p.Latency), float64(p.Alone), float64(p.Shared)}}
	if t.NICs > 0 {
		l.Sharing = float64(c.PerNode) / float64(t.NICs)
	}
	return l
}

// share works out which part of the steps was assumed.
func (r *Report) share() {
	r.Shares = Shares{}
	n := float64(len(r.Layouts))
	for i := range r.Layouts {
		l := &r.Layouts[i]
		if l.Shares == nil {
			a := min(1, l.Compute/l.Measured)
			l.Shares = &Shares{Measured: 1 - a, Assumed: a}
		}
		r.Shares.Measured += l.Shares.Measured / n
		r.Shares.Scaled += l.Shares.Scaled / n
		r.Shares.Assumed += l.Shares.Assumed / n
	}
}
