package steps

import (
	"math/bits"
	"slices"
)

// The tree is the in-order binary tree over 0..n-1 that NCCL uses between
// nodes (src/graph/trees.cc): 0 is the root with one child, and a node whose
// lowest set bit is b has its children b/2 to either side, so odd ones are
// leaves.

// parentOf returns the parent of v > 0.
func parentOf(v, n int) int {
	low := v & -v
	if up := v ^ low | low<<1; up < n {
		return up
	}
	return v ^ low
}

// childrenOf returns the children of v, left then right.
func childrenOf(v, n int) (c []int) {
	if v == 0 {
		if n > 1 {
			c = append(c, 1<<(bits.Len(uint(n-1))-1))
		}
		return c
	}
	h := (v & -v) / 2
	if h > 0 {
		c = append(c, v-h)
	}
	for ; h > 0; h /= 2 {
		if v+h < n {
			return append(c, v+h)
		}
	}
	return c
}

// heightOf returns the edges from v down to its deepest leaf.
func heightOf(v, n int) (h int) {
	for _, c := range childrenOf(v, n) {
		h = max(h, 1+heightOf(c, n))
	}
	return h
}

// depthOf returns the edges from v up to the root.
func depthOf(v, n int) (d int) {
	for ; v != 0; v = parentOf(v, n) {
		d++
	}
	return d
}

func tree(b *builder) {
	b.treeAllReduce(0, b.Count, func(r int) int { return r }, func(v int) int { return v })
}

// doubleTree gives each half of M a tree of its own: the second is the first
// mirrored (even n) or turned by one (odd n), so that a rank inside one is a
// leaf of the other (Sanders, Speck and Träff, Parallel Computing 35(12), 2009).
func doubleTree(b *builder) {
	n, half := b.Ranks, b.Count/2
	b.treeAllReduce(0, half, func(r int) int { return r }, func(v int) int { return v })
	if n%2 == 0 {
		flip := func(r int) int { return n - 1 - r }
		b.treeAllReduce(half, b.Count-half, flip, flip)
		return
	}
	b.treeAllReduce(half, b.Count-half,
		func(r int) int { return mod(r-1, n) }, func(v int) int { return mod(v+1, n) })
}

// treeAllReduce reduces count elements from off up a tree and sends them down
// again, piece after piece. node maps a rank to its place in the tree, rank
// back. Piece q leaves a node of height h in round h+q upwards, and reaches
// one of depth d in round height(root)+d-1+q downwards.
func (b *builder) treeAllReduce(off, count int, node, rank func(int) int) {
	n, v := b.Ranks, node(b.rank)
	if n == 1 {
		b.copy(Ref{Input, off, count}, Ref{Output, off, count})
		return
	}
	kids := childrenOf(v, n)
	slices.SortStableFunc(kids, func(x, y int) int { return heightOf(x, n) - heightOf(y, n) })
	height, depth, top := heightOf(v, n), depthOf(v, n), heightOf(0, n)
	for q := range pieces(count, b.Chunk) {
		acc, out := slice(Input, off, count, b.Chunk, q), slice(Output, off, count, b.Chunk, q)
		for _, c := range kids {
			b.round = heightOf(c, n) + q
			b.recvReduce(rank(c), acc, out)
			acc = out
		}
		if v != 0 {
			b.round = height + q
			b.send(rank(parentOf(v, n)), acc)
			b.round = top + depth - 1 + q
			b.recv(rank(parentOf(v, n)), out)
		}
		for _, c := range kids {
			b.round = top + depth + q
			b.send(rank(c), out)
		}
	}
}
