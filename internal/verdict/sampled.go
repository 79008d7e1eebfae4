package verdict

import (
	"context"

	"planner/costmodel/collective"
	"planner/hardware/unit"
	"planner/strategies"
	"planner/verify/replay"
)

// sampleAndScale runs the calls of the layouts where they fit the ranks at
// hand, and smaller ones of their kind where they do not, and works out what
// the steps would take.
func (r *Run) sampleAndScale(ctx context.Context) (*Report, error) {
	plans := r.plans()
	s := newSampler(newHere(r.Problem.Cluster, r.links, placeOf(r.Shape), r.slow), r.Problem.Cluster.PerNode)
	for _, p := range plans {
		for i := range p.Calls {
			if c := &p.Calls[i]; c.Phase.InStep() && c.Span.Size > 1 && c.Seconds > 0 {
				s.add(c)
			}
		}
	}
	m, place, err := r.work(ctx, &replay.Work{Samples: s.samples(), Rounds: r.Rounds, Budget: r.Budget, Probe: s.probeSpec()})
	if err != nil {
		return nil, err
	}
	s.settle(m.Samples)
	out := r.head(place)
	out.Rounds, out.RealTime = m.SampleRounds, m.RealTime
	for i := range r.Chosen {
		l, err := s.layout(&r.Chosen[i], plans[i])
		if err != nil {
			return nil, err
		}
		out.Layouts = append(out.Layouts, l)
	}
	out.Calls = s.calls(plans)
	for _, p := range m.Probes {
		out.Links = append(out.Links, s.link(p))
	}
	return out, nil
}

// probeSpec says what the links at hand are expected to do.
func (h *here) probeSpec() *replay.ProbeSpec {
	in, _ := h.rate(false)
	p := &replay.ProbeSpec{PerNode: h.perNode, Inside: float64(in) / h.slow}
	if p.Between = p.Inside; h.nodes > 1 {
		out, _ := h.rate(true)
		p.Between = float64(out) / h.slow
	}
	return p
}

// link compares a tier of the plan with what messages of their own found, at
// the plan's speed.
func (h *here) link(p replay.Probe) Link {
	rate, step := h.rate(p.Tier > 0)
	l := Link{Tier: string(h.Tiers[p.Tier].Kind), Between: p.Tier > 0, Latency: float64(step), Bandwidth: float64(rate), Sharing: 1,
		Probed: Probed{float64(p.Latency) / h.slow, float64(p.Alone) * h.slow, float64(p.Shared) * h.slow}}
	if n := h.Tiers[p.Tier].NICs; n > 0 && n < h.perNode {
		l.Sharing = float64(h.perNode) / float64(n)
	}
	return l
}

// layout works out the step of a layout: as predicted, but for what its calls
// take, overlapped as its program has them.
func (s *sampler) layout(e *strategies.Estimate, p *replay.Plan) (Layout, error) {
	before, after := make([]unit.Seconds, len(p.Calls)), make([]unit.Seconds, len(p.Calls))
	for i := range p.Calls {
		c := &p.Calls[i]
		before[i], after[i] = c.Seconds, c.Seconds
		if t := s.terms[kindOf(c)]; t != nil {
			after[i] = t.seconds
		}
	}
	planned, err := p.Simulate(before)
	if err != nil {
		return Layout{}, err
	}
	found, err := p.Simulate(after)
	if err != nil {
		return Layout{}, err
	}
	// Of calls beside compute a framework shows only a part, which the estimate
	// knows and the program does not: the change is taken as a share.
	step := max(e.Step.Times(float64(found/planned)), e.Compute)
	l := Layout{Layout: e.Layout.String(), Framework: e.Framework.Name, Predicted: float64(e.Step), Measured: float64(step), Times: []float64{float64(step)}}
	s.parts(&l, p, after)
	return l, nil
}

// calls lists the kinds of calls of the plans.
func (s *sampler) calls(plans []*replay.Plan) []Call {
	at := map[kind]int{}
	var out []Call
	for _, p := range plans {
		for i := range p.Calls {
			c := &p.Calls[i]
			k := kindOf(c)
			t := s.terms[k]
			if t == nil || c.Op == collective.Recv || !c.Phase.InStep() {
				continue
			}
			n, ok := at[k]
			if !ok {
				n = len(out)
				at[k] = n
				out = append(out, callOf(c, float64(t.seconds), t.how))
			}
			out[n].Weight += float64(c.Total())
		}
	}
	return out
}

func callOf(c *collective.Call, took float64, how string) Call {
	return Call{Op: c.Op.String(), Purpose: c.Purpose, Axis: c.Axis.String(), Bytes: float64(c.Bytes), GroupSize: c.Span.Size,
		Nodes: c.Span.Domains, Tier: c.Span.Tier, Predicted: float64(c.Seconds), Latency: float64(c.Latency), Measured: took, How: how}
}
