package steps

import (
	"testing"

	"planner/costmodel/collective"
	"planner/hardware/unit"
)

// checkSent holds the closed forms against the walk, rank by rank, and link by
// link where a link has a formula of its own.
func checkSent(t *testing.T, s Spec, progs []Program) {
	t.Helper()
	for src, row := range Traffic(progs) {
		sum := 0
		for dst, got := range row {
			sum += got
			if want := onLink(s, src, dst); want >= 0 && got != want {
				t.Errorf("%+v: link %d to %d carries %d elements, want %d", s, src, dst, got, want)
			}
		}
		if want := Sent(s, src); sum != want {
			t.Errorf("%+v: rank %d sends %d elements, closed form says %d", s, src, sum, want)
		}
	}
}

// onLink returns what the link from src to dst carries by the definition of
// the algorithm, or -1 where that has no short form.
func onLink(s Spec, src, dst int) int {
	n, m := s.Ranks, s.Count
	_, mine := Cut(m, n, src)
	_, theirs := Cut(m, n, dst)
	when := func(c bool, x int) int {
		if c && src != dst {
			return x
		}
		return 0
	}
	next := (src+1)%n == dst
	switch s.Alg {
	case Naive:
		return when(src == 0 || dst == 0, m)
	case OneShot:
		return when(true, m)
	case TwoShot:
		return when(true, mine+theirs)
	case Tree:
		return when(src > 0 && parentOf(src, n) == dst || dst > 0 && parentOf(dst, n) == src, m)
	case Flat:
		return when(src == s.Root, m)
	case Chain:
		return when(next && dst != s.Root, m)
	case Pairwise:
		return when(true, theirs)
	case Ring:
		return when(next, map[collective.Op]int{
			collective.AllReduce: 2*m - mine - theirs, collective.ReduceScatter: m - mine, collective.AllGather: m - theirs,
		}[s.Op])
	case Direct:
		return when(true, direct(s, src, dst, mine, theirs))
	}
	return -1
}

func direct(s Spec, src, dst, mine, theirs int) int {
	switch {
	case s.Op == collective.ReduceScatter || s.Op == collective.AllToAll:
		return theirs
	case s.Op == collective.AllGather:
		return mine
	case s.Op == collective.Reduce && dst == s.Root:
		return s.Count
	case s.Op == collective.Gather && dst == s.Root:
		return mine
	case s.Op == collective.Scatter && src == s.Root:
		return theirs
	case (s.Op == collective.Send || s.Op == collective.Recv) && src == s.Root && dst == s.Dest:
		return s.Count
	}
	return 0
}

// TestWire: where pieces are even, the busiest rank of a bandwidth-optimal
// algorithm sends (Gather: receives) what Op.Wire charges.
func TestWire(t *testing.T) {
	optimal := map[collective.Op][]Algorithm{
		collective.AllReduce:     {Ring, TwoShot},
		collective.ReduceScatter: {Ring, Recursive, Direct, Bruck},
		collective.AllGather:     {Ring, Direct, Bruck},
		collective.AllToAll:      {Direct, Pairwise},
		collective.Broadcast:     {Chain},
		collective.Gather:        {Direct, Binomial},
		collective.Scatter:       {Direct, Binomial},
		collective.Send:          {Direct},
	}
	for op, algs := range optimal {
		for _, alg := range algs {
			for n := 2; n <= 33; n++ {
				s := Spec{Op: op, Alg: alg, Ranks: n, Count: 12 * n, Dest: 1}
				progs, err := BuildAll(s)
				if err != nil {
					t.Fatal(err)
				}
				sent, received := busiest(Traffic(progs))
				if op == collective.Gather {
					sent = received
				}
				want := op.Wire(unit.Bytes(4*s.Count), n)
				if got := unit.Bytes(4 * sent); got < want*(1-1e-12) || got > want*(1+1e-12) {
					t.Errorf("%v %v over %d: busiest rank sends %v, want %v", op, alg, n, got, want)
				}
			}
		}
	}
}

func busiest(t [][]int) (sent, received int) {
	in := make([]int, len(t))
	for _, row := range t {
		sum := 0
		for dst, x := range row {
			sum += x
			in[dst] += x
			received = max(received, in[dst])
		}
		sent = max(sent, sum)
	}
	return sent, received
}
