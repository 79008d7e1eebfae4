package strategies

import (
	"fmt"
	"slices"
	"strconv"
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

func (p *Problem) checkLayers(l *Layout, prof *Profile) *Violation {
	layers, chunks := p.Model.Layers(), l.PP*l.VPP
	given := "pp=" + strconv.Itoa(l.PP)
	if l.VPP > 1 {
		given += ",vpp=" + strconv.Itoa(l.VPP)
	}
	switch {
	case l.FullLayers > layers:
		return &Violation{RuleLayers, "recompute=full:" + strconv.Itoa(l.FullLayers), fmt.Sprintf("more than the %d layers of the model", layers), "use full"}
	case l.Schedule == Interleaved && l.VPP == 1:
		return &Violation{RuleLayers, "schedule=interleaved", "interleaving needs virtual stages", "set vpp>1 or drop schedule"}
	case l.VPP > 1 && l.PP == 1:
		return &Violation{RuleLayers, "vpp=" + strconv.Itoa(l.VPP), "virtual stages need pp>1", "set pp or drop vpp"}
	case chunks > layers:
		return &Violation{RuleEmpty, given, fmt.Sprintf("%d layers cannot fill %d stages: a stage would hold no trainable parameters", layers, chunks),
			fmt.Sprintf("use at most pp=%d, or pp=1", layers)}
	case p.layersOf(l, nil) != nil:
		return nil
	case l.First+l.Last > layers:
		return &Violation{RuleLayers, splitString(l.First, l.Last), fmt.Sprintf("more than the %d layers of the model", layers), offerSplit(l, layers, prof)}
	case l.First > 0 || l.Last > 0:
		return &Violation{RuleLayers, splitString(l.First, l.Last),
			fmt.Sprintf("%d layers are left for the other stages, which they do not divide", layers-l.First-l.Last), offerSplit(l, layers, prof)}
	}
	return &Violation{RuleLayers, given, fmt.Sprintf("%d layers do not split evenly over %d stages", layers, chunks), offerSplit(l, layers, prof)}
}

// offerSplit proposes an uneven split that is legal, and the nearest degrees
// that divide.
func offerSplit(l *Layout, layers int, prof *Profile) string {
	offer := "use "
	if f, z, ok := splitFor(l, layers); ok && prof.Can.Uneven {
		offer = fmt.Sprintf("add %s or use ", splitString(f, z))
	}
	low, high := 1, layers
	for d := 1; d <= layers; d++ {
		if layers%d != 0 {
			continue
		}
		if d < l.PP*l.VPP {
			low = d
		} else if d > l.PP*l.VPP {
			high = d
			break
		}
	}
	return offer + fmt.Sprintf("pp=%d or pp=%d", low, high)
}

func splitString(first, last int) string {
	switch {
	case last == 0:
		return fmt.Sprintf("first=%d", first)
	case first == 0:
		return fmt.Sprintf("last=%d", last)
	}
	return fmt.Sprintf("first=%d,last=%d", first, last)
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

func (p *Problem) checkExperts(l *Layout, _ *Profile) *Violation {
	if l.EP == 1 && l.ETP == l.TP {
		return nil
	}
	if !moe(p.Model) {
		return &Violation{RuleExperts, fmt.Sprintf("ep=%d,etp=%d", l.EP, l.ETP), p.Model.Name + " has no experts", "drop ep and etp"}
	}
	return p.checkFold(l)
}

func (p *Problem) checkFold(l *Layout) *Violation {
	ranks := l.TP * l.CP * l.DP
	for i := range p.Model.Kinds {
		f := &p.Model.Kinds[i].FFN
		if f.Experts == 0 {
			continue
		}
		if f.Experts%l.EP != 0 {
			return &Violation{RuleExperts, "ep=" + strconv.Itoa(l.EP), fmt.Sprintf("%d experts are not divisible by %d", f.Experts, l.EP),
				"use a divisor of the experts"}
		}
		if f.ExpertWidth%l.ETP != 0 {
			return &Violation{RuleExperts, "etp=" + strconv.Itoa(l.ETP), fmt.Sprintf("an expert of width %d is not divisible by %d", f.ExpertWidth, l.ETP), "use etp=1"}
		}
	}
	if ranks%(l.EP*l.ETP) != 0 {
		return &Violation{RuleExperts, fmt.Sprintf("ep=%d,etp=%d", l.EP, l.ETP),
			fmt.Sprintf("experts fold over tp·cp·dp = %d ranks, which ep·etp = %d does not divide", ranks, l.EP*l.ETP),
			"set etp=1, or an ep that divides " + strconv.Itoa(ranks/gcd(ranks, l.ETP))}
	}
	return nil
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
