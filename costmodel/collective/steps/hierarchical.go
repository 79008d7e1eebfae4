package steps

// hierarchical reduces and scatters over the ranks of a node, reduces each
// part over the nodes (ranks of the same place in their nodes), and gathers
// in the node. The pieces are staggered so that one crosses the nodes while
// its neighbours are inside them.
func hierarchical(b *builder) {
	g, k := b.Node, b.Ranks/b.Node
	node, local := b.rank/g, b.rank%g
	inner := b.whole()
	inner.n, inner.me = g, local
	inner.rank = func(i int) int { return node*g + mod(i, g) }
	if b.Ranks == 1 {
		b.copy(b.all(Input), b.all(Output))
	}
	stagger := max(g-1, 2*(k-1))
	for q := range inner.pieces() {
		b.round = q * stagger
		inner.reduceScatter(q, Input, toOutput)
		own := inner.part(Output, local, q)
		b.across(own, k, func(i int) int { return mod(i, k)*g + local }, node)
		inner.allGather(q, own)
	}
}

// across is a ring all-reduce of own over k nodes.
func (b *builder) across(own Ref, k int, rank func(int) int, me int) {
	outer := circle{b, rank, k, me, own.Off, own.Len, 0}
	src := Output
	if b.Node == 1 {
		src = Input
	}
	outer.reduceScatter(0, src, toOutput)
	outer.allGather(0, outer.part(Output, me, 0))
}
