package strategies

import (
	"slices"
)

// stage is a set of pipeline ranks that hold the same kinds of layers.
type stage struct {
	index int   // the first pipeline rank of the set: the one with most in flight
	ranks int   // pipeline ranks in the set
	kinds []int // layers of each kind, all chunks together
	total int
	embed bool
	head  bool
	// Boundaries, indices of chain.hops, over which the ranks receive: of
	// activations before them, of gradients after them.
	before, after int
}

// layersOf returns the layers of each of the pp·vpp model chunks in execution
// order, or nil when they do not divide as the layout says.
func (p *Problem) layersOf(l *Layout, prof *Profile) []int {
	layers, chunks := p.Model.Layers(), l.PP*l.VPP
	if l.First == 0 && l.Last == 0 {
		if prof.splitsByCost() && l.PP > 1 {
			return p.byCost(l.PP)
		}
		if layers%chunks == 0 || p.Balanced {
			return balanced(layers, chunks)
		}
		return nil
	}
	return unevenChunks(l, layers)
}

// balanced spreads layers over chunks, the longer ones in the middle so that
// the ranks with the embedding and the head have less.
func balanced(layers, chunks int) []int {
	n := make([]int, chunks)
	extra := layers % chunks
	start := (chunks - extra + 1) / 2
	for i := range n {
		n[i] = layers / chunks
		if i >= start && i < start+extra {
			n[i]++
		}
	}
	return n
}

// unevenChunks gives the first and last ranks their own number of layers and
// splits the rest evenly.
func unevenChunks(l *Layout, layers int) []int {
	if l.PP < 2 {
		return nil
	}
	rest, middle := layers, l.PP
	if l.First > 0 {
		rest, middle = rest-l.First, middle-1
	}
	if l.Last > 0 {
		rest, middle = rest-l.Last, middle-1
	}
	if rest < 0 || middle == 0 && rest != 0 || middle > 0 && (rest == 0 || rest%(middle*l.VPP) != 0) ||
		l.First%l.VPP != 0 || l.Last%l.VPP != 0 {
		return nil
	}
	n := make([]int, l.PP*l.VPP)
	for i := range n {
		switch rank := i % l.PP; {
		case rank == 0 && l.First > 0:
			n[i] = l.First / l.VPP
		case rank == l.PP-1 && l.Last > 0:
			n[i] = l.Last / l.VPP
		default:
			n[i] = rest / (middle * l.VPP)
		}
	}
	return n
}

// chain is the stages of a pipeline and the boundaries between them.
type chain struct {
	stages []stage
	hops   []boundary
	parts  *chain // the first met whose stages hold the same parts of the model
}

// boundary is a pair of pipeline ranks that stands for all pairs placed alike.
type boundary struct {
	from, to      int
	tier, leavers int
}

// chainOf returns the distinct stages of l in pipeline order, none when the
// layers do not divide. Chunk c·pp+i belongs to rank i.
func (p *Problem) chainOf(l *Layout, prof *Profile) *chain {
	c := &chain{}
	c.parts = c
	chunks := p.layersOf(l, prof)
	if chunks == nil {
		return c
	}
	kinds := make([][]int, l.PP)
	for i := range kinds {
		kinds[i] = make([]int, len(p.Model.Kinds))
	}
	at := 0
	for c, n := range chunks {
		for _, k := range p.Model.Pattern[at : at+n] {
			kinds[c%l.PP][k]++
		}
		at += n
	}
	for i, k := range kinds {
		s := stage{index: i, ranks: 1, kinds: k, embed: i == 0, head: i == l.PP-1}
		if l.PP > 1 {
			s.before, s.after = c.hop(p, l, (i+l.PP-1)%l.PP, i), c.hop(p, l, i, (i+1)%l.PP)
		}
		for _, n := range k {
			s.total += n
		}
		if last := len(c.stages) - 1; last >= 0 && same(&c.stages[last], &s) && c.stages[last].before == s.before && c.stages[last].after == s.after {
			c.stages[last].ranks++
			continue
		}
		c.stages = append(c.stages, s)
	}
	return c
}

// hop returns the index of the boundary that stands for one between two
// pipeline ranks.
func (c *chain) hop(p *Problem, l *Layout, from, to int) int {
	inner := l.TP * l.CP * l.DP
	if len(c.hops) > 0 && p.Cluster.Alike(inner) {
		return 0
	}
	s := p.Cluster.Hop(inner, from, to)
	for i, h := range c.hops {
		if h.tier == s.Tier && h.leavers == s.Siblings {
			return i
		}
	}
	c.hops = append(c.hops, boundary{from, to, s.Tier, s.Siblings})
	return len(c.hops) - 1
}

// sameParts reports whether the stages of two chains hold the same parts.
func (c *chain) sameParts(other *chain) bool {
	return slices.EqualFunc(c.stages, other.stages, func(a, b stage) bool { return same(&a, &b) })
}

// same reports whether two stages hold the same parts of the model.
func same(a, b *stage) bool {
	if a.embed != b.embed || a.head != b.head {
		return false
	}
	for i := range a.kinds {
		if a.kinds[i] != b.kinds[i] {
			return false
		}
	}
	return true
}
