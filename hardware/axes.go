package hardware

import (
	"fmt"
	"slices"
)

// Axis is one dimension of the rank grid, innermost first in a list of axes.
type Axis struct {
	Name string
	Size int
}

// Place says where the groups sit that vary along dims and agree on all other
// axes. The axes are innermost first and their product is at most c.GPUs; dims
// in any order. Neighbouring dims are one stride (see [Cluster.Span]); others,
// such as tp and dp with cp between, are enumerated, in time linear in GPUs.
//
// Stride is that of the innermost dim. An error names the axis at fault.
func (c *Cluster) Place(axes []Axis, dims ...string) (Span, error) {
	g, err := newGrid(axes, dims)
	if err != nil {
		return Span{}, err
	}
	if g.ranks > c.GPUs {
		return Span{}, fmt.Errorf("axes: %d ranks: more than the %d GPUs", g.ranks, c.GPUs)
	}
	if len(g.picked) == 1 && g.ranks == c.GPUs {
		return c.Span(g.picked[0].stride, g.picked[0].size), nil
	}
	return c.enumerate(g), nil
}

// extent is a run of the grid: size steps of stride ranks.
type extent struct{ stride, size int }

// grid holds the extents that a group varies along, and the others; axes of
// size 1 are dropped and neighbours of one sort merged.
type grid struct {
	ranks         int
	picked, other []extent
}

func newGrid(axes []Axis, dims []string) (grid, error) {
	g := grid{ranks: 1}
	for _, d := range dims {
		if !slices.ContainsFunc(axes, func(a Axis) bool { return a.Name == d }) {
			return g, fmt.Errorf("axis %q: not among the axes", d)
		}
	}
	for _, a := range axes {
		if a.Size < 1 || a.Size > maxRanks/g.ranks {
			return g, fmt.Errorf("axis %q: size %d: want 1 or more, and at most %d ranks in all", a.Name, a.Size, maxRanks)
		}
		if slices.Contains(dims, a.Name) {
			g.picked = merge(g.picked, extent{g.ranks, a.Size})
		} else {
			g.other = merge(g.other, extent{g.ranks, a.Size})
		}
		g.ranks *= a.Size
	}
	return g, nil
}

// maxRanks bounds the grids that are enumerated.
const maxRanks = 1 << 24

func merge(list []extent, e extent) []extent {
	if e.size == 1 {
		return list
	}
	if n := len(list); n > 0 && list[n-1].stride*list[n-1].size == e.stride {
		list[n-1].size *= e.size
		return list
	}
	return append(list, e)
}

// enumerate walks all groups of g.
func (c *Cluster) enumerate(g grid) Span {
	s := Span{Stride: 1, Size: count(g.picked), Domains: 1, PerDomain: 1, Siblings: 1}
	if len(g.picked) > 0 {
		s.Stride = g.picked[0].stride
	}
	s.Domains, s.PerDomain, s.Siblings = g.spread(c.domain(c.ScaleUp))
	for s.Tier < len(c.Tiers)-1 {
		if n, _, _ := g.spread(c.domain(s.Tier)); n == 1 {
			break
		}
		s.Tier++
	}
	return s
}

// spread is place for the groups of g.
func (g grid) spread(domain int) (domains, perDomain, siblings int) {
	leaving := make([]int, (g.ranks+domain-1)/domain)
	members, siblings := count(g.picked), 1
	for i := range count(g.other) {
		base := at(g.other, i)
		n, most, run, here := 0, 0, 0, -1
		for k := range members {
			d := (base + at(g.picked, k)) / domain
			if d != here {
				here, run = d, 0
				n++
			}
			run++
			most = max(most, run)
		}
		if n > domains || n == domains && most > perDomain {
			domains, perDomain = n, most
		}
		if n > 1 {
			siblings = max(siblings, g.leave(base, domain, leaving))
		}
	}
	return domains, perDomain, siblings
}

// leave adds the group at base to each domain that it touches, and returns the
// highest count.
func (g grid) leave(base, domain int, leaving []int) (most int) {
	here := -1
	for k := range count(g.picked) {
		if d := (base + at(g.picked, k)) / domain; d != here {
			here = d
			leaving[d]++
			most = max(most, leaving[d])
		}
	}
	return most
}

// count returns the number of points of the extents.
func count(list []extent) int {
	n := 1
	for _, e := range list {
		n *= e.size
	}
	return n
}

// at returns the rank offset of point i; it grows with i.
func at(list []extent, i int) (rank int) {
	for _, e := range list {
		rank += i % e.size * e.stride
		i /= e.size
	}
	return rank
}
