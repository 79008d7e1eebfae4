package verdict

import (
	"math"

	"planner/costmodel/collective"
	"planner/hardware/unit"
	"planner/verify/replay"
)

// parts fills in the axes, what part of the step comes from where, and how
// far it may be off.
func (s *sampler) parts(l *Layout, p *replay.Plan, took []unit.Seconds) {
	var axes [collective.NumAxes]Axis
	from := origins{step: l.Measured, unmeasured: map[string]float64{}}
	for i := range p.Calls {
		c := &p.Calls[i]
		if c.Stage != p.Estimate.Slowest || !c.Phase.InStep() || c.Total() <= 0 {
			continue
		}
		a := &axes[c.Axis]
		a.Axis = c.Axis.String()
		a.Predicted += float64(c.Total())
		a.Measured += float64(took[i]) * c.Count
		if t := s.terms[kindOf(c)]; t != nil {
			from.add(c, t, took[i])
		}
	}
	for _, a := range axes {
		if a.Predicted > 0 {
			l.Axes = append(l.Axes, a)
		}
	}
	from.fill(l)
}

// origins is where the parts of a step come from.
type origins struct {
	step       float64
	shares     Shares
	unmeasured map[string]float64 // seconds of calls that were assumed, by where they go
	variance   float64            // of the step, relative
}

// add counts what the step shows of a call that takes took.
func (o *origins) add(c *collective.Call, t *term, took unit.Seconds) {
	shown := float64(took) * c.Count * math.Min(1, float64(c.Exposed/c.Total())) / o.step
	o.variance += t.spread * t.spread * shown * shown
	switch t.method {
	case measured:
		o.shares.Measured += shown
	case scaled:
		o.shares.Scaled += shown
	default:
		o.unmeasured[whereOf(c.Span.Domains)] += shown * o.step
	}
}

// fill writes them into a layout: what no call shows is assumed.
func (o *origins) fill(l *Layout) {
	shares := o.shares
	if sum := shares.Measured + shares.Scaled; sum > 1 {
		shares.Measured, shares.Scaled = shares.Measured/sum, shares.Scaled/sum
	}
	shares.Assumed = 1 - shares.Measured - shares.Scaled
	l.Shares, l.Compute, l.StdErr = &shares, shares.Assumed*l.Measured, math.Sqrt(o.variance)*l.Measured
	for _, t := range o.unmeasured {
		l.Compute = max(0, l.Compute-t)
	}
	if len(o.unmeasured) > 0 {
		l.Unmeasured = o.unmeasured
	}
}

// whereOf words where a call of a group in some nodes goes.
func whereOf(nodes int) string {
	if nodes > 1 {
		return "across nodes"
	}
	return "inside a node"
}
