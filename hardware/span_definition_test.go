package hardware_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"planner/hardware"
)

// grid returns a cluster of gpus ranks with the given tier sizes.
func grid(gpus, scaleUp int, tiers ...int) *hardware.Cluster {
	c := &hardware.Cluster{GPUs: gpus, PerNode: tiers[0], ScaleUp: scaleUp}
	for _, n := range tiers {
		c.Tiers = append(c.Tiers, hardware.Tier{Ranks: n})
	}
	return c
}

// domainsOf maps each domain of n ranks (0: all) to the ranks of the group in it.
func domainsOf(group []int, n, gpus int) map[int]int {
	if n == 0 {
		n = gpus
	}
	m := make(map[int]int)
	for _, r := range group {
		m[r/n]++
	}
	return m
}

// obvious is Span's definition, word for word, over an explicit list of groups.
func obvious(c *hardware.Cluster, groups [][]int) (s hardware.Span) {
	s.Domains, s.PerDomain, s.Siblings = 0, 0, 1
	leaving := make(map[int]int)
	for _, g := range groups {
		in := domainsOf(g, c.Tiers[c.ScaleUp].Ranks, c.GPUs)
		most := 0
		for d, n := range in {
			most = max(most, n)
			if len(in) > 1 {
				leaving[d]++
				s.Siblings = max(s.Siblings, leaving[d])
			}
		}
		if len(in) > s.Domains || len(in) == s.Domains && most > s.PerDomain {
			s.Domains, s.PerDomain = len(in), most
		}
		for t := range c.Tiers {
			if len(domainsOf(g, c.Tiers[t].Ranks, c.GPUs)) > 1 {
				s.Tier = max(s.Tier, t+1)
			}
		}
	}
	return s
}

// tiled lists the whole groups of a stride and size.
func tiled(stride, size, gpus int) (groups [][]int) {
	for base := range gpus {
		if base%(stride*size) >= stride || base+(size-1)*stride >= gpus {
			continue
		}
		var g []int
		for k := range size {
			g = append(g, base+k*stride)
		}
		groups = append(groups, g)
	}
	return groups
}

// along lists the groups that vary along dims, by giving each rank a key of
// its coordinates on the other axes.
func along(axes []hardware.Axis, dims []string, gpus int) (groups [][]int) {
	byKey := make(map[string]int)
	for r := range gpus {
		key, rest := "", r
		for _, a := range axes {
			if !slices.Contains(dims, a.Name) {
				key += fmt.Sprint(rest%a.Size, ",")
			}
			rest /= a.Size
		}
		i, seen := byKey[key]
		if !seen {
			i = len(groups)
			byKey[key] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], r)
	}
	return groups
}

func same(t interface{ Fatalf(string, ...any) }, what string, got, want hardware.Span) {
	got.Stride, got.Size = want.Stride, want.Size
	if got != want {
		t.Fatalf("%s:\n got %+v\nwant %+v", what, got, want)
	}
}

// clusters draws a cluster of nested tiers; sizes need not be powers of two,
// nor divide the number of ranks.
func clusters(t *rapid.T, gpus int) *hardware.Cluster {
	node := rapid.SampledFrom([]int{1, 2, 3, 4, 8, 8, 16, 36, 64, 72}).Draw(t, "node")
	switch rapid.IntRange(0, 3).Draw(t, "shape") {
	case 0:
		return grid(gpus, 0, node, 0)
	case 1:
		return grid(gpus, 0, node, node*rapid.IntRange(1, 9).Draw(t, "pod"), 0)
	case 2:
		return grid(gpus, 1, node, node*4, 0)
	}
	return grid(gpus, 1, 2, 2*node, 0)
}

func TestSpanIsItsDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		stride := rapid.IntRange(1, 40).Draw(t, "stride")
		size := rapid.IntRange(2, 24).Draw(t, "size")
		gpus := stride * size * rapid.IntRange(1, 6).Draw(t, "tiles")
		if rapid.Bool().Draw(t, "ragged") {
			gpus = (size-1)*stride + rapid.IntRange(1, 60).Draw(t, "over")
		}
		c := clusters(t, gpus)
		same(t, fmt.Sprintf("Span(%d, %d) of %d in %+v", stride, size, gpus, c.Tiers),
			c.Span(stride, size), obvious(c, tiled(stride, size, gpus)))
	})
}

func TestPlaceIsItsDefinition(t *testing.T) {
	names := []string{"tp", "cp", "ep", "dp", "pp"}
	rapid.Check(t, func(t *rapid.T) {
		gpus := 1
		var axes []hardware.Axis
		var dims []string
		for _, n := range names {
			a := hardware.Axis{Name: n, Size: rapid.SampledFrom([]int{1, 1, 2, 2, 3, 4, 5, 8}).Draw(t, n)}
			if gpus*a.Size > 2048 {
				a.Size = 1
			}
			gpus *= a.Size
			axes = append(axes, a)
			if rapid.Bool().Draw(t, "in "+n) {
				dims = append(dims, n)
			}
		}
		c := clusters(t, gpus)
		got, err := c.Place(axes, dims...)
		if err != nil {
			t.Fatal(err)
		}
		same(t, fmt.Sprintf("Place(%v, %v) in %+v", axes, dims, c.Tiers), got, obvious(c, along(axes, dims, gpus)))
	})
}

func TestHopIsItsDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		stride, stages := rapid.IntRange(1, 100).Draw(t, "stride"), rapid.IntRange(2, 8).Draw(t, "stages")
		from, to := rapid.IntRange(0, stages-1).Draw(t, "from"), rapid.IntRange(0, stages-1).Draw(t, "to")
		if from == to {
			return
		}
		c := clusters(t, stride*stages)
		low, high := min(from, to), max(from, to)
		want := hardware.Span{Stride: stride * (high - low), Size: 2, Siblings: 1}
		leaving := map[int]int{}
		for j := range stride {
			one := obvious(c, [][]int{{low*stride + j, high*stride + j}})
			want.Domains, want.Tier = max(want.Domains, one.Domains), max(want.Tier, one.Tier)
			if one.Domains > 1 {
				d := c.Tiers[c.ScaleUp].Ranks
				leaving[(low*stride+j)/d]++
				want.Siblings = max(want.Siblings, leaving[(low*stride+j)/d])
			}
		}
		want.PerDomain = 2 / want.Domains
		same(t, fmt.Sprintf("Hop(%d, %d, %d) in %+v", stride, from, to, c.Tiers), c.Hop(stride, from, to), want)
	})
}
