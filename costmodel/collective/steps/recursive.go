package steps

import "math/bits"

// split is one level of halving: ranks lo..mid-1 against mid..hi-1. The left
// half has as many ranks as the right or one more; its last rank is then left
// without a partner and shares the first rank of the right half.
type split struct{ lo, mid, hi int }

// splits returns the levels that rank takes part in, widest first; level i is
// at depth i of the recursion.
func splits(rank, n int) (l []split) {
	for lo, hi := 0, n; hi-lo > 1; {
		mid := (lo + hi + 1) / 2
		l = append(l, split{lo, mid, hi})
		if rank < mid {
			hi = mid
		} else {
			lo = mid
		}
	}
	return l
}

// sides returns the rank ranges of rank's own half and of the other one.
func (s split) sides(rank int) (own, other [2]int) {
	if rank < s.mid {
		return [2]int{s.lo, s.mid}, [2]int{s.mid, s.hi}
	}
	return [2]int{s.mid, s.hi}, [2]int{s.lo, s.mid}
}

// odd returns the left rank without a partner, or -1.
func (s split) odd() int {
	if s.mid-s.lo > s.hi-s.mid {
		return s.mid - 1
	}
	return -1
}

// partner returns the rank that exchanges with rank, or shares with odd.
func (s split) partner(rank int) int {
	switch {
	case rank == s.odd():
		return s.mid
	case rank < s.mid:
		return rank + s.mid - s.lo
	}
	return rank - s.mid + s.lo
}

// span returns the pieces of ranks r[0]..r[1]-1 in buf.
func (b *builder) span(buf Buf, r [2]int) Ref {
	lo, hi := b.piece(buf, r[0]), b.piece(buf, r[1]-1)
	return Ref{buf, lo.Off, hi.Off + hi.Len - lo.Off}
}

// depth returns ceil(lg n), the rounds of a recursion over n ranks.
func depth(n int) int { return bits.Len(uint(n - 1)) }

// halve is recursive halving: each level every rank sends its partial sums of
// the other half's pieces across, so that all of them arrive although one
// rank may get nothing and another two messages. It needs no folding for odd
// numbers and every rank sends M less its own piece. last is where the rank's
// own finished piece goes; other sums go to buf, at their place in M.
func (b *builder) halve(buf Buf, last Ref) {
	cur := Input
	for d, s := range splits(b.rank, b.Ranks) {
		b.round = d
		own, other := s.sides(b.rank)
		acc, dst := b.span(cur, own), b.span(buf, own)
		if own[1]-own[0] == 1 {
			dst = last
		}
		b.send(s.partner(b.rank), b.span(cur, other))
		if b.rank == s.odd() {
			continue
		}
		b.recvReduce(s.partner(b.rank), acc, dst)
		if b.rank == s.mid && s.odd() >= 0 {
			b.recvReduce(s.odd(), dst, dst)
		}
		cur = buf
	}
	b.round = depth(b.Ranks)
}

// double is recursive doubling, halve backwards: from round first on, each
// level exchanges the finished halves. own is where the rank's own piece is.
func (b *builder) double(first int, own Ref) {
	levels := splits(b.rank, b.Ranks)
	for d := len(levels) - 1; d >= 0; d-- {
		s := levels[d]
		b.round = first + depth(b.Ranks) - 1 - d
		mine, other := s.sides(b.rank)
		have := b.span(Output, mine)
		if mine[1]-mine[0] == 1 {
			have = own
		}
		if b.rank != s.odd() {
			b.send(s.partner(b.rank), have)
		}
		if b.rank == s.mid && s.odd() >= 0 {
			b.send(s.odd(), have)
		}
		b.recv(s.partner(b.rank), b.span(Output, other))
	}
}

func recursiveAllReduce(b *builder) {
	own := b.piece(Output, b.rank)
	if b.Ranks == 1 {
		b.copy(b.all(Input), own)
	}
	b.halve(Output, own)
	b.double(b.round, own)
}

func recursiveReduceScatter(b *builder) {
	if b.Ranks == 1 {
		b.copy(b.all(Input), b.all(Output))
	}
	b.halve(Scratch, b.mine(Output))
}

func recursiveAllGather(b *builder) {
	b.copy(b.mine(Input), b.piece(Output, b.rank))
	b.double(0, b.mine(Input))
}
