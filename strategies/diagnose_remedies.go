package strategies

import (
	"slices"

	"planner/costmodel/collective"
)

// remedies estimates the knobs that lessen an axis and returns those that are
// faster and fit, best first; tight says that all of the faster ones lack memory.
func (p *Problem) remedies(x *Explanation, axis collective.Axis) (out []Estimate, tight bool) {
	for _, l := range neighbours(p, x.Layout, axis) {
		switch e, ok := p.tryLayout(l); {
		case !ok || e.Step >= x.Step:
		case e.Fits:
			out = append(out, e)
		default:
			tight = true
		}
	}
	slices.SortFunc(out, compare)
	return out[:min(len(out), 4)], tight && len(out) == 0
}

// tryLayout estimates a layout under the first framework that runs it.
func (p *Problem) tryLayout(l Layout) (Estimate, bool) {
	for _, f := range p.Profiles {
		if p.Check(&l, f) == nil {
			return p.Estimate(l, f), true
		}
	}
	return Estimate{}, false
}

// neighbours returns layouts with less of an axis, and those that are changed in
// what every axis feels.
func neighbours(p *Problem, l Layout, axis collective.Axis) []Layout {
	return append(p.narrower(l, axis), p.retuned(l)...)
}

// narrower returns the layouts with a smaller degree on an axis. The ranks that
// this sets free go to data parallelism, or from tp to the pipeline.
func (p *Problem) narrower(l Layout, axis collective.Axis) (out []Layout) {
	switch axis {
	case collective.AxisTP:
		for tp := l.TP / 2; tp >= 1; tp /= 2 {
			n := l
			n.TP, n.ETP, n.SP = tp, min(n.ETP, tp), tp > 1
			deeper := n
			deeper.PP, deeper.Schedule = l.PP*l.TP/tp, DefaultSchedule(l.VPP)
			out = append(out, p.widened(n), p.widened(deeper))
		}
	case collective.AxisCP:
		for cp := l.CP / 2; cp >= 1; cp /= 2 {
			n := l
			n.CP = cp
			out = append(out, p.widened(n))
		}
	case collective.AxisEP:
		n := l
		for n.EP /= 2; n.EP >= 1; n.EP /= 2 {
			out = append(out, n)
		}
		n = l
		n.Dispatcher = DispatchFlex
		out = append(out, n)
	case collective.AxisPP:
		for pp := l.PP / 2; pp >= 1; pp /= 2 {
			n := l
			n.PP, n.VPP, n.Schedule = pp, 1, OneFOneB
			out = append(out, p.widened(n))
		}
	}
	return out
}

// widened gives data parallelism all ranks that the other axes leave.
func (p *Problem) widened(l Layout) Layout {
	l.DP = p.Cluster.GPUs / (l.TP * l.CP * l.PP)
	l.Shard = l.DataRanks()
	return l
}

// retuned returns the layouts with larger micro-batches, with lower ZeRO stages,
// and with state split inside a scale-up domain.
func (p *Problem) retuned(l Layout) (out []Layout) {
	for _, mbs := range []int{l.MBS * 2, l.MBS * 4} {
		n := l
		n.MBS = mbs
		out = append(out, n)
	}
	for zero := range l.Zero {
		n := l
		n.Zero, n.Shard = zero, l.DataRanks()
		out = append(out, n)
	}
	if l.Zero > 0 {
		n := l
		n.Shard = gcd(l.DataRanks(), p.Cluster.Domain())
		out = append(out, n)
	}
	return out
}
