package steps

import (
	"math"
	"testing"

	"planner/costmodel/collective"
	"planner/hardware/unit"
)

var testLink = Link{Latency: 7e-6, Post: 3e-7, PerByte: 1.0 / 50e9}

const testReduce = unit.Seconds(1.0 / 40e9)

func uniform(int, int) Link { return testLink }

// powersOnly lists what is exact only for a power of two.
func powersOnly(s Spec) bool {
	switch s.Op {
	case collective.AllToAll:
		return s.Alg == Bruck
	case collective.Gather, collective.Scatter:
		return s.Alg == Binomial
	}
	return s.Alg == Recursive || s.Alg == ScatterAllGather
}

// TestClosed holds the formulas against the walk of the steps.
func TestClosed(t *testing.T) {
	tried := map[[2]uint8]bool{}
	for n := 2; n <= 33; n++ {
		for op := range collective.NumOps {
			for _, alg := range Algorithms(op) {
				s := Spec{Op: op, Alg: alg, Ranks: n, Count: 48 * n, Chunk: 0, Node: n, Dest: 1 % n}
				if alg == Chain {
					s.Chunk = 6
				}
				want, ok := Closed(s, 4, testLink, testReduce)
				if !ok || powersOnly(s) && n&(n-1) != 0 {
					continue
				}
				tried[[2]uint8{uint8(op), uint8(alg)}] = true
				if got := cost(t, s, uniform); math.Abs(float64(got-want)) > 1e-9*float64(want) {
					t.Errorf("%v %v over %d: walk %v, formula %v", op, alg, n, got, want)
				}
			}
		}
	}
	if len(tried) != 28 {
		t.Errorf("tried %d formulas, want 28", len(tried))
	}
}

func cost(t *testing.T, s Spec, link func(int, int) Link) unit.Seconds {
	t.Helper()
	progs, err := BuildAll(s)
	if err != nil {
		t.Fatal(err)
	}
	return Cost(progs, 4, link, testReduce)
}

// TestClosedHierarchical uses two tiers on two ports.
func TestClosedHierarchical(t *testing.T) {
	in, out := Link{Latency: 2e-6, PerByte: 1.0 / 300e9}, Link{Latency: 9e-6, Post: 1e-6, PerByte: 1.0 / 50e9, Port: 1}
	for _, n := range []int{2, 4, 6, 8, 12, 32} {
		for _, g := range nodes(Hierarchical, n) {
			s := Spec{Alg: Hierarchical, Ranks: n, Node: g, Count: 1000 * n}
			link := func(x, y int) Link {
				if x/g == y/g {
					return in
				}
				return out
			}
			want := ClosedHierarchical(s, 4, in, out, testReduce)
			if got := cost(t, s, link); math.Abs(float64(got-want)) > 1e-9*float64(want) {
				t.Errorf("%d ranks, %d per node: walk %v, formula %v", n, g, got, want)
			}
			s.Chunk = 125
			if whole, cut := want, cost(t, s, func(x, y int) Link { l := link(x, y); l.Latency, l.Post = 0, 0; return l }); g > 1 && g < n && cut > whole {
				t.Errorf("%d ranks, %d per node: pipelined without latency %v, want at most %v", n, g, cut, whole)
			}
		}
	}
}

// TestTreeBounds: with many pieces and no latency a tree tends to 3 M on the
// ports of a rank with two children, two trees to 2 M (Sanders, Speck and
// Träff 2009), and the end of each round, where ports wait for each other,
// adds half a piece; neither beats 2(n-1)/n M (Patarasuk and Yuan 2009). One
// piece over a tree takes up to 2 lg n latencies.
func TestTreeBounds(t *testing.T) {
	wire := func(int, int) Link { return Link{PerByte: 1e-9} }
	for _, n := range []int{8, 15, 16, 31, 32, 33} {
		m := 4096 * n
		for alg, factor := range map[Algorithm]float64{Tree: 3, DoubleTree: 2} {
			progs, err := BuildAll(Spec{Alg: alg, Ranks: n, Count: m, Chunk: m / 512})
			if err != nil {
				t.Fatal(err)
			}
			got := float64(Cost(progs, 1, wire, 0)) / (float64(m) * 1e-9)
			if low := 2 * float64(n-1) / float64(n); got < low || got > factor+0.55 {
				t.Errorf("%v over %d: %.3f M, want %.3f to %.3f", alg, n, got, low, factor+0.55)
			}
		}
		progs, _ := BuildAll(Spec{Alg: Tree, Ranks: n, Count: 1})
		hops := float64(Cost(progs, 1, func(int, int) Link { return Link{Latency: 1} }, 0))
		if hops > 2*math.Ceil(math.Log2(float64(n))) {
			t.Errorf("tree over %d: %v latencies, want at most 2 lg n", n, hops)
		}
	}
}
