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

// TestAlike: boundaries that differ are never called alike.
func TestAlike(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		stride, stages := rapid.IntRange(1, 100).Draw(t, "stride"), rapid.IntRange(3, 8).Draw(t, "stages")
		c := clusters(t, stride*stages)
		if !c.Alike(stride) {
			return
		}
		first := c.Hop(stride, 0, 1)
		for i := range stages {
			next := c.Hop(stride, i, (i+1)%stages)
			next.Stride = first.Stride
			if next.Tier != first.Tier || next.Domains != first.Domains {
				t.Fatalf("stages of %d in %+v: boundary 0 %+v, boundary %d %+v", stride, c.Tiers, first, i, next)
			}
		}
	})
}

func TestSpanKnown(t *testing.T) {
	dgx := grid(1024, 0, 8, 0)
	for _, x := range []struct {
		name                               string
		c                                  *hardware.Cluster
		stride, size                       int
		domains, perDomain, siblings, tier int
	}{
		{"tensor parallel inside a node", dgx, 1, 8, 1, 8, 1, 0},
		{"tensor parallel over two nodes", dgx, 1, 16, 2, 8, 1, 1},
		{"data parallel, tp 8: all eight share the node", dgx, 8, 128, 128, 1, 8, 1},
		{"data parallel, tp 2: four ranks a node", dgx, 2, 512, 128, 4, 2, 1},
		{"first and last of 4 stages of 256", dgx, 768, 2, 2, 1, 8, 1},
		{"first and last of 4 stages of 4, two a node", grid(16, 0, 8, 0), 12, 2, 2, 1, 4, 1},
		{"tp 6 straddles node borders, 2 and 4", grid(48, 0, 8, 0), 1, 6, 2, 4, 2, 1},
		{"rack of 72, expert groups of 64", grid(576, 0, 72, 0), 1, 64, 2, 56, 2, 1},
		{"GCDs: a pair is one package", grid(64, 1, 2, 8, 0), 1, 2, 1, 2, 1, 0},
		{"GCDs: tp 8 crosses packages, no NIC", grid(64, 1, 2, 8, 0), 1, 8, 1, 8, 1, 1},
		{"pods: dp beyond 3072", grid(16384, 0, 8, 3072, 0), 8, 2048, 2048, 1, 8, 2},
	} {
		got := x.c.Span(x.stride, x.size)
		want := hardware.Span{Stride: x.stride, Size: x.size, Domains: x.domains, PerDomain: x.perDomain, Siblings: x.siblings, Tier: x.tier}
		if got != want {
			t.Errorf("%s:\n got %+v\nwant %+v", x.name, got, want)
		}
	}
}

func TestPlaceErrors(t *testing.T) {
	c := grid(16, 0, 8, 0)
	for want, axes := range map[string][]hardware.Axis{
		`axis "dp": not among the axes`:                                        {{Name: "tp", Size: 2}},
		`axis "dp": size 0: want 1 or more, and at most 16777216 ranks in all`: {{Name: "dp", Size: 0}},
		`axes: 32 ranks: more than the 16 GPUs`:                                {{Name: "dp", Size: 32}},
	} {
		if _, err := c.Place(axes, "dp"); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestSpanDoesNotAllocate(t *testing.T) {
	c := grid(1000, 0, 8, 0)
	if n := testing.AllocsPerRun(10, func() { c.Span(3, 7); c.Span(8, 125); c.Hop(4, 1, 2) }); n != 0 {
		t.Errorf("%g allocations", n)
	}
}

func BenchmarkSpan(b *testing.B) {
	c := grid(16384, 0, 8, 3072, 0)
	for b.Loop() {
		c.Span(8, 64)
	}
}

func BenchmarkSpanUneven(b *testing.B) {
	c := grid(1152, 0, 72, 0)
	for b.Loop() {
		c.Span(4, 4)
	}
}

func ExampleCluster_Place() {
	node := []hardware.Tier{{Kind: hardware.NVLink, Ranks: 8}, {Kind: hardware.InfiniBand}}
	c := &hardware.Cluster{GPUs: 64, PerNode: 8, Tiers: node}
	axes := []hardware.Axis{{Name: "tp", Size: 2}, {Name: "cp", Size: 4}, {Name: "dp", Size: 8}}
	s, err := c.Place(axes, "tp", "dp")
	fmt.Printf("%d ranks, %d nodes, %d a node, %d groups share a node's NICs, %v\n",
		s.Size, s.Domains, s.PerDomain, s.Siblings, err)
	// Output: 16 ranks, 8 nodes, 2 a node, 4 groups share a node's NICs, <nil>
}

// A Placer places as its cluster does, the second time too.
func TestPlacerIsSpan(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := clusters(t, rapid.IntRange(1, 600).Draw(t, "gpus"))
		p := hardware.NewPlacer(c)
		for range 20 {
			stride, size := rapid.IntRange(1, 80).Draw(t, "stride"), rapid.IntRange(1, 40).Draw(t, "size")
			want := c.Span(stride, size)
			if first, again := p.Span(stride, size), p.Span(stride, size); first != want || again != want {
				t.Fatalf("stride %d, size %d: %+v and %+v, want %+v", stride, size, first, again, want)
			}
		}
	})
}
