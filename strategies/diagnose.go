package strategies

import (
	"fmt"

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
