package strategies

import (
	"fmt"
	"slices"

	"planner/costmodel/collective"
	"planner/hardware"
	"planner/hardware/unit"
)

// Threshold is the share of a step above which an exposed primitive is named.
const Threshold = 0.30

// Diagnosis names a primitive that takes too much of the step, its likely
// cause, and what would help, each estimated again, fastest first. A remedy fits.
type Diagnosis struct {
	Op     collective.Op
	Axis   collective.Axis
	Share  float64 // of the step, exposed
	Cause  string
	Knob   string
	Remedy []Estimate
}

// Diagnose applies the 30 % rule to an explanation: a primitive whose exposed
// time is over Threshold of the step is named with its cause. The largest
// exposed primitive and its share are returned in any case.
func (p *Problem) Diagnose(x *Explanation) (found []Diagnosis, largest collective.Op, share float64) {
	for op := collective.Op(0); op < collective.NumOps; op++ {
		by := exposedBy(x, op)
		var total unit.Seconds
		axis := collective.AxisOther
		for a, t := range by {
			total += t
			if t > by[axis] {
				axis = collective.Axis(a)
			}
		}
		part := float64(total / x.Step)
		if part > share {
			largest, share = op, part
		}
		if part > Threshold {
			d := Diagnosis{Op: op, Axis: axis, Share: part}
			d.Cause, d.Knob = p.cause(x, op, axis)
			var tight bool
			if d.Remedy, tight = p.remedies(x, axis); tight {
				d.Knob += "; but no layout so changed fits: free memory first (recomputation, more sharding)"
			}
			found = append(found, d)
		}
	}
	return found, largest, share
}

// exposedBy sums the exposed time of an op on the slowest stage by axis.
func exposedBy(x *Explanation, op collective.Op) (by [collective.NumAxes]unit.Seconds) {
	for i := range x.Calls {
		if c := &x.Calls[i]; c.Op == op && c.Stage == x.Slowest && c.Phase.InStep() {
			by[c.Axis] += c.Exposed
		}
	}
	return by
}

// DomainName says what joins the ranks of one scale-up domain: a node, or links
// that reach beyond it.
func DomainName(c *hardware.Cluster) string {
	up := &c.Tiers[c.ScaleUp]
	switch {
	case up.Ranks <= c.PerNode:
		return "node"
	case up.Kind == hardware.NVLink:
		return "NVLink domain"
	}
	return "scale-up domain"
}

// an puts the article before a domain's name.
func an(domain string) string {
	if domain[0] == 'N' {
		return "an " + domain
	}
	return "a " + domain
}

// cause says why an op on an axis is expensive in this layout.
func (p *Problem) cause(x *Explanation, op collective.Op, axis collective.Axis) (cause, knob string) {
	l, span, domain := &x.Layout, spanOf(x, axis), DomainName(p.Cluster)
	inside := an(domain)
	where := fmt.Sprintf("the %s group of %d is inside %s", axis, span.Size, inside)
	crosses := span.Domains > 1
	if crosses {
		where = fmt.Sprintf("the %s group of %d spans %d %ss", axis, span.Size, span.Domains, domain)
	}
	switch {
	case axis == collective.AxisTP && crosses:
		return where + ": every layer's calls cross the network", "keep tp inside " + inside
	case axis == collective.AxisTP:
		return fmt.Sprintf("tp=%d is too fine for layers of this width: each call moves the whole hidden state", l.TP), "halve tp, or interleave a pipeline instead"
	case axis == collective.AxisEP && crosses:
		return where + ": every token crosses the network twice a layer", "keep ep inside " + inside + ", or use dispatcher=flex"
	case axis == collective.AxisEP:
		return where + ": every token is sent twice a layer", "a smaller ep, or dispatcher=flex"
	case axis == collective.AxisCP && crosses:
		return where + ": keys and values outlast the attention they hide behind", "keep cp inside " + inside + ", or use a smaller cp"
	case axis == collective.AxisCP:
		return where + ": keys and values outlast the attention they hide behind", "a smaller cp"
	case axis == collective.AxisDP && l.Zero == 3:
		return where + ": ZeRO-3 gathers every layer for every micro-batch", "larger mbs, shard inside " + inside + " (HSDP), or a lower ZeRO stage"
	case op == collective.AllReduce:
		return where + " and the gradients are not split", "accumulate more micro-batches, or split with zero=1"
	case axis == collective.AxisDP:
		return where + ": the calls outlast the backward pass they hide behind", "fewer data-parallel ranks, more micro-batches, larger buckets"
	case axis == collective.AxisPP:
		return "hops between stages wait for the network", "fewer stages, or sp so that a hop carries a tp-th"
	}
	return where, "a smaller group"
}

func spanOf(x *Explanation, axis collective.Axis) (s struct{ Size, Domains int }) {
	for i := range x.Calls {
		if c := &x.Calls[i]; c.Axis == axis && c.Stage == x.Slowest && c.Span.Size > s.Size {
			s.Size, s.Domains = c.Span.Size, c.Span.Domains
		}
	}
	return s
}

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

// neighbours returns layouts with less of an axis.
func neighbours(p *Problem, l Layout, axis collective.Axis) []Layout {
	var out []Layout
	add := func(change func(*Layout)) {
		n := l
		change(&n)
		out = append(out, n)
	}
	widen := func(n *Layout) {
		n.DP = p.Cluster.GPUs / (n.TP * n.CP * n.PP)
		n.Shard = n.DataRanks()
	}
	switch axis {
	case collective.AxisTP:
		for tp := l.TP / 2; tp >= 1; tp /= 2 {
			add(func(n *Layout) { n.TP, n.ETP, n.SP = tp, min(n.ETP, tp), tp > 1; widen(n) })
			add(func(n *Layout) {
				n.TP, n.ETP, n.SP, n.PP = tp, min(n.ETP, tp), tp > 1, n.PP*l.TP/tp
				n.Schedule = DefaultSchedule(n.VPP)
				widen(n)
			})
		}
	case collective.AxisCP:
		for cp := l.CP / 2; cp >= 1; cp /= 2 {
			add(func(n *Layout) { n.CP = cp; widen(n) })
		}
	case collective.AxisEP:
		for ep := l.EP / 2; ep >= 1; ep /= 2 {
			add(func(n *Layout) { n.EP = ep })
		}
		add(func(n *Layout) { n.Dispatcher = DispatchFlex })
	case collective.AxisPP:
		for pp := l.PP / 2; pp >= 1; pp /= 2 {
			add(func(n *Layout) { n.PP, n.VPP, n.Schedule = pp, 1, OneFOneB; widen(n) })
		}
	}
	for _, mbs := range []int{l.MBS * 2, l.MBS * 4} {
		add(func(n *Layout) { n.MBS = mbs })
	}
	for zero := range l.Zero {
		add(func(n *Layout) { n.Zero = zero; n.Shard = n.DataRanks() })
	}
	if l.Zero > 0 {
		add(func(n *Layout) {
			n.Shard = gcd(n.DataRanks(), p.Cluster.Domain())
		})
	}
	return out
}
