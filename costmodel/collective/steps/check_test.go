package steps

import (
	"fmt"
	"testing"

	"planner/costmodel/collective"
)

// everySpec calls do for every algorithm over n ranks, with every root up to
// maxRoots of them, every node size, and sizes that do and do not divide.
func everySpec(n, maxRoots int, do func(Spec)) {
	for op := range collective.NumOps {
		for _, alg := range Algorithms(op) {
			for _, node := range nodes(alg, n) {
				for _, count := range []int{0, 1, n - 1, n, n + 1, 2*n + 3, 4 * n} {
					for _, root := range roots(op, n, maxRoots) {
						for _, chunk := range []int{0, 1, 3} {
							s := Spec{Op: op, Alg: alg, Ranks: n, Count: count, Root: root, Chunk: chunk, Node: node}
							s.Dest = (root + 1) % n
							do(s)
							if !chunked(alg) {
								break
							}
						}
					}
				}
			}
		}
	}
}

func chunked(a Algorithm) bool {
	switch a {
	case Ring, Tree, DoubleTree, Hierarchical, Chain:
		return true
	}
	return false
}

func nodes(a Algorithm, n int) (g []int) {
	if a != Hierarchical {
		return []int{0}
	}
	for d := 1; d <= n; d++ {
		if n%d == 0 {
			g = append(g, d)
		}
	}
	return g
}

func roots(op collective.Op, n, most int) []int {
	switch op {
	case collective.AllReduce, collective.ReduceScatter, collective.AllGather, collective.AllToAll:
		return []int{0}
	}
	if n > most {
		return []int{0, 1, n / 2, n - 1}
	}
	r := make([]int, n)
	for i := range r {
		r[i] = i
	}
	return r
}

// TestEveryAlgorithm proves every algorithm for 1 to 33 ranks, in place and
// out of place.
func TestEveryAlgorithm(t *testing.T) {
	for n := 1; n <= 33; n++ {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			everySpec(n, 9, func(s Spec) {
				progs, err := BuildAll(s)
				if err != nil {
					t.Fatalf("%+v: %v", s, err)
				}
				if err := Check(s, progs, false); err != nil {
					t.Errorf("%+v: %v", s, err)
				}
				if InPlace(s) {
					if err := Check(s, progs, true); err != nil {
						t.Errorf("%+v in place: %v", s, err)
					}
				}
				checkSent(t, s, progs)
			})
		})
	}
}
