package strategies

import (
	"fmt"
	"slices"
)

// offerLayers names changes each of which alone mends a split of the layers: an
// uneven split, an even one, the nearest chunks and degrees; where there is none,
// several at once. What it names passes checkLayers, divides the GPUs and, unless
// that leaves nothing to name, runs under the framework.
func (p *Problem) offerLayers(l *Layout, prof *Profile, rule Rule) []string {
	if texts := p.offer(offers{p: p, prof: prof, bound: true}, l, rule); texts != nil {
		return texts
	}
	return p.offer(offers{p: p, prof: prof}, l, rule)
}

func (p *Problem) offer(o offers, l *Layout, rule Rule) []string {
	uneven := l.First+l.Last > 0
	o.split(l, map[bool]string{false: "add ", true: "use "}[uneven])
	if c := *l; uneven {
		c.First, c.Last = 0, 0
		o.try(c, "drop "+ends(l))
	}
	if l.VPP > 1 || l.Schedule == Interleaved {
		o.near(l.VPP, "vpp", func(c *Layout, n int) { c.VPP, c.Schedule = n, scheduleOf(l, n) }, *l)
		c := *l
		c.Schedule = DefaultSchedule(l.VPP)
		o.try(c, map[bool]string{false: "drop schedule", true: "use schedule=interleaved"}[l.VPP > 1])
	}
	if l.VPP > 1 || l.Schedule != Interleaved {
		o.near(l.PP, "pp", func(c *Layout, n int) { c.PP, c.Schedule = n, scheduleOf(l, l.VPP) }, *l)
	}
	if c := *l; o.texts == nil {
		c.VPP, c.Schedule = 1, scheduleOf(l, 1)
		o.split(&c, map[bool]string{false: "use vpp=1,", true: "drop schedule and use "}[l.VPP == 1])
	}
	if rule == RuleEmpty || o.texts == nil {
		o.alone(l)
	}
	return o.texts
}

// scheduleOf is the schedule of l with vpp chunks a rank where none is given.
func scheduleOf(l *Layout, vpp int) Schedule {
	if l.Schedule == Interleaved || l.PP == 1 {
		return DefaultSchedule(vpp)
	}
	return l.Schedule
}

// offers gathers the words for changes that are legal.
type offers struct {
	p     *Problem
	prof  *Profile
	bound bool // whether the framework has to run what is offered
	texts []string
}

// try adds the words for a change to c, if that is legal.
func (o *offers) try(c Layout, text string) bool {
	if slices.Contains(o.texts, text) || o.p.Cluster.GPUs%(c.TP*c.CP*c.PP) != 0 ||
		c.First+c.Last > 0 && !o.prof.Can.Uneven || o.p.layersFault(&c) != nil || o.bound && !o.runs(c) {
		return false
	}
	o.texts = append(o.texts, text)
	return true
}

// runs reports whether the framework runs c on all of the cluster.
func (o *offers) runs(c Layout) bool {
	c.DP, c.Shard = 0, 0
	c, v := c.Complete(o.p.Cluster.GPUs)
	return v == nil && o.p.checkFramework(&c, o.prof) == nil
}

// split tries the uneven split of l that is nearest to even.
func (o *offers) split(l *Layout, verb string) {
	c, ok := *l, false
	if c.First, c.Last, ok = splitFor(l, o.p.Model.Layers()); !ok {
		return
	}
	text := verb + splitString(c.First, c.Last)
	switch {
	case c.First == 0 && l.First > 0:
		text += " without first"
	case c.Last == 0 && l.Last > 0:
		text += " without last"
	}
	o.try(c, text)
}

// near tries the legal values of a degree next below and above n.
func (o *offers) near(n int, key string, set func(*Layout, int), l Layout) {
	for _, step := range []int{-1, 1} {
		for v := n + step; v >= 1 && v <= o.p.Model.Layers(); v += step {
			c := l
			set(&c, v)
			if o.try(c, fmt.Sprintf("use %s=%d", key, v)) {
				break
			}
		}
	}
}

// alone tries the pipeline of one stage.
func (o *offers) alone(l *Layout) {
	c, text := *l, "use pp=1"
	if l.VPP > 1 {
		text += ",vpp=1"
	}
	if l.First+l.Last > 0 {
		text += " without " + ends(l)
	}
	c.PP, c.VPP, c.First, c.Last, c.Schedule = 1, 1, 0, 0, OneFOneB
	o.try(c, text)
}

// ends names the keys of an uneven split that l has.
func ends(l *Layout) string {
	switch {
	case l.Last == 0:
		return "first"
	case l.First == 0:
		return "last"
	}
	return "first and last"
}

// splitFor returns the uneven split nearest to even: short ends first, since
// the ends also hold the embedding and the head.
func splitFor(l *Layout, layers int) (first, last int, ok bool) {
	even := float64(layers) / float64(l.PP)
	best := 1e18
	try := func(f, z int) {
		c := Layout{PP: l.PP, VPP: l.VPP, First: f, Last: z}
		n := unevenChunks(&c, layers)
		if n == nil {
			return
		}
		cost := 0.0
		for _, k := range n {
			d := float64(k*l.VPP) - even
			cost += d * d
			if d > 0 {
				cost += d / 100
			}
		}
		if cost < best {
			best, first, last, ok = cost, f, z, true
		}
	}
	for f := 1; f <= int(2*even)+1; f++ {
		try(f, 0)
		try(0, f)
		for z := 1; z <= int(2*even)+1; z++ {
			try(f, z)
		}
	}
	return first, last, ok
}
