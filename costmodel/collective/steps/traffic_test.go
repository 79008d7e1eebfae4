package steps

import (
	"math/bits"

	"planner/costmodel/collective"
)

// Traffic walks the programs and returns the elements that go from each rank
// to each other one: t[src][dst].
func Traffic(progs []Program) (t [][]int) {
	for _, p := range progs {
		row := make([]int, len(progs))
		for _, s := range p {
			if s.Kind == Send {
				row[s.Peer] += s.Src.Len
			}
		}
		t = append(t, row)
	}
	return t
}

// Sent returns the elements that rank sends in a valid call s, in closed form.
// It equals the sum of the rank's row of [Traffic].
func Sent(s Spec, rank int) int {
	if s.Ranks == 1 {
		return 0
	}
	b := &builder{Spec: s, rank: rank}
	switch s.Op {
	case collective.AllReduce:
		return b.sentAllReduce()
	case collective.ReduceScatter:
		return s.Count - b.len(rank) // whatever the algorithm: each other piece leaves once
	case collective.AllGather:
		return b.sentAllGather()
	case collective.AllToAll:
		if s.Alg == Bruck {
			return b.sentBruck()
		}
		return s.Count - b.len(rank)
	}
	return b.sentRooted()
}

// len returns the elements of piece i of M.
func (b *builder) len(i int) int { return b.piece(Input, i).Len }

func (b *builder) sentAllReduce() int {
	n, m, r := b.Ranks, b.Count, b.rank
	switch b.Alg {
	case Naive:
		if r == 0 {
			return (n - 1) * m
		}
		return m
	case Ring:
		return 2*m - b.len(r) - b.len(r+1)
	case Tree:
		return m * edges(r, n)
	case DoubleTree:
		other := mod(r-1, n)
		if n%2 == 0 {
			other = n - 1 - r
		}
		return m/2*edges(r, n) + (m-m/2)*edges(other, n)
	case Recursive:
		return m - b.len(r) + b.sentDoubling()
	case OneShot:
		return (n - 1) * m
	case TwoShot:
		return m + (n-2)*b.len(r)
	}
	return b.sentHierarchical()
}

// edges returns the neighbours of v in the tree of n.
func edges(v, n int) int { return len(childrenOf(v, n)) + min(v, 1) }

func (b *builder) sentHierarchical() int {
	g, k := b.Node, b.Ranks/b.Node
	node, local := b.rank/g, b.rank%g
	_, own := Cut(b.Count, g, local)
	_, next := Cut(b.Count, g, (local+1)%g)
	sum := 2*b.Count - own - next
	for q := range pieces(own, b.Chunk) {
		n := slice(Input, 0, own, b.Chunk, q).Len
		_, x := Cut(n, k, node)
		_, y := Cut(n, k, (node+1)%k)
		sum += 2*n - x - y
	}
	return sum
}

func (b *builder) sentAllGather() (sum int) {
	switch b.Alg {
	case Ring:
		return b.Count - b.len(b.rank+1)
	case Direct:
		return (b.Ranks - 1) * b.len(b.rank)
	case Recursive:
		return b.sentDoubling()
	}
	for d := 1; d < b.Ranks; d *= 2 {
		sum += b.between(b.rank, min(d, b.Ranks-d))
	}
	return sum
}

// between returns the elements of n pieces from first, wrapping around.
func (b *builder) between(first, n int) int {
	lo, _ := Cut(b.Count, b.Ranks, first)
	hi, _ := Cut(b.Count, b.Ranks, first+n)
	return hi - lo
}

// sentDoubling: own half once per level; twice when an odd rank shares this
// one, never when this rank is the odd one.
func (b *builder) sentDoubling() (sum int) {
	for _, s := range splits(b.rank, b.Ranks) {
		own, _ := s.sides(b.rank)
		times := 1
		if b.rank == s.odd() {
			times = 0
		} else if b.rank == s.mid && s.odd() >= 0 {
			times = 2
		}
		sum += times * b.between(own[0], own[1]-own[0])
	}
	return sum
}

// sentBruck: slot i leaves once for each bit d of i, being then the piece for
// the rank i without its bits below d further on.
func (b *builder) sentBruck() (sum int) {
	for i := range b.Ranks {
		for rest := i; rest != 0; rest &= rest - 1 {
			sum += b.len(b.rank + rest)
		}
	}
	return sum
}

func (b *builder) sentRooted() int {
	n, m, v := b.Ranks, b.Count, b.turned()
	root := v == 0
	switch {
	case b.Op == collective.Send || b.Op == collective.Recv:
		return only(root && b.Dest != b.Root, m)
	case b.Alg == Flat:
		return only(root, (n-1)*m)
	case b.Alg == Chain:
		return only(v < n-1, m)
	case b.Alg == ScatterAllGather:
		place := builder{Spec: Spec{Ranks: n, Count: m}}
		return place.subtrees(v) + only(v < n-1, m-place.len(v+1))
	case b.Op == collective.Broadcast:
		return m * kids(v, n)
	case b.Op == collective.Reduce:
		return only(!root, m)
	case b.Op == collective.Gather && b.Alg == Direct:
		return only(!root, b.len(b.rank))
	case b.Op == collective.Gather:
		return only(!root, b.between(b.rank, min(v&-v, n-v)))
	case b.Alg == Direct:
		return only(root, m-b.len(b.rank))
	}
	return b.subtrees(v)
}

// kids returns the children of place v in the binomial tree of n: one for
// each power of two below v's lowest set bit that stays inside.
func kids(v, n int) int {
	below := bits.Len(uint(n - v - 1))
	if v != 0 {
		below = min(below, bits.TrailingZeros(uint(v)))
	}
	return below
}

// subtrees returns the elements of the pieces below place v.
func (b *builder) subtrees(v int) int {
	reach := b.Ranks
	if v != 0 {
		reach = min(v&-v, b.Ranks-v)
	}
	return b.between(b.Root+v+1, reach-1)
}
