package hardware_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"planner/hardware"
)

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
