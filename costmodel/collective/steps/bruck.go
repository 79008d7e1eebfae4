package steps

// runs calls do for each contiguous run of the n pieces from first, which
// wraps at the number of ranks, cut besides where split says so. j is the
// run's first piece counted from first.
func (b *builder) runs(first, n int, split func(j int) bool, do func(j, piece, n int)) {
	for j := 0; j < n; {
		e := j + 1
		for e < n && mod(first+e, b.Ranks) != 0 && !(split != nil && split(e)) {
			e++
		}
		do(j, mod(first+j, b.Ranks), e-j)
		j = e
	}
}

// bruckAllGather doubles the pieces that each rank holds, every round from
// twice as far (Bruck et al., IEEE TPDS 8(11), 1997). Pieces go straight to
// their place in Output, in two messages where they wrap around.
func bruckAllGather(b *builder) {
	b.copy(b.mine(Input), b.piece(Output, b.rank))
	for d := 1; d < b.Ranks; d *= 2 {
		n := min(d, b.Ranks-d)
		b.runs(b.rank, n, nil, func(_, p, n int) {
			src := b.span(Output, [2]int{p, p + n})
			if d == 1 {
				src = b.mine(Input)
			}
			b.send(mod(b.rank-d, b.Ranks), src)
		})
		b.runs(b.rank+d, n, nil, func(_, p, n int) {
			b.recv(mod(b.rank+d, b.Ranks), b.span(Output, [2]int{p, p + n}))
		})
		b.round++
	}
}

// bruckReduceScatter is bruckAllGather backwards. Of the pieces counted from
// a rank's own, the first have already been summed into Scratch and the rest
// are still in Input; messages are cut where that changes on either side.
func bruckReduceScatter(b *builder) {
	if b.Ranks == 1 {
		b.copy(b.all(Input), b.all(Output))
	}
	summed := 0
	for d := 1 << depth(b.Ranks) / 2; d > 0; d /= 2 {
		n := min(d, b.Ranks-d)
		at := func(j int) Buf {
			if j < summed {
				return Scratch
			}
			return Input
		}
		cut := func(j int) bool { return j == summed || j+d == summed }
		b.runs(b.rank+d, n, cut, func(j, p, n int) {
			b.send(mod(b.rank+d, b.Ranks), b.span(at(j+d), [2]int{p, p + n}))
		})
		b.runs(b.rank, n, cut, func(j, p, n int) {
			r := [2]int{p, p + n}
			dst := b.span(Scratch, r)
			if d == 1 {
				dst = b.mine(Output)
			}
			b.recvReduce(mod(b.rank-d, b.Ranks), b.span(at(j), r), dst)
		})
		summed = max(summed, n)
		b.round++
	}
}
