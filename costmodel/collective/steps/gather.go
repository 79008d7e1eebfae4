package steps

func directGather(b *builder) {
	if b.rank != b.Root {
		b.send(b.Root, b.mine(Input))
		return
	}
	b.copy(b.mine(Input), b.piece(Output, b.rank))
	for v := 1; v < b.Ranks; v++ {
		b.recv(b.turn(v), b.piece(Output, b.turn(v)))
	}
}

func directScatter(b *builder) {
	if b.rank != b.Root {
		b.recv(b.Root, b.mine(Output))
		return
	}
	b.copy(b.piece(Input, b.rank), b.mine(Output))
	for v := 1; v < b.Ranks; v++ {
		b.send(b.turn(v), b.piece(Input, b.turn(v)))
	}
}

// held calls do for the contiguous runs of the pieces of n places from v on.
// In buf, the whole of M at the root, they lie in rank order; elsewhere they
// lie in Scratch in the order of places, counted from the rank's own.
func (b *builder) held(buf Buf, v, n int, do func(Ref)) {
	b.runs(b.turn(v), n, nil, func(j, p, n int) {
		r := b.span(buf, [2]int{p, p + n})
		if b.rank != b.Root {
			r = Ref{Scratch, b.before(v+j) - b.before(b.turned()), r.Len}
		}
		do(r)
	})
}

// before returns the elements of the pieces of places 0 to v-1.
func (b *builder) before(v int) int {
	first, _ := Cut(b.Count, b.Ranks, b.Root)
	off, _ := Cut(b.Count, b.Ranks, b.Root+v) // past the last rank, Cut goes on as if M were repeated
	return off - first
}

func binomialGather(b *builder) {
	v := b.turned()
	own := Ref{Scratch, 0, b.mine(Input).Len}
	if b.rank == b.Root {
		own = b.piece(Output, b.rank)
	}
	if v%2 == 0 {
		b.copy(b.mine(Input), own)
	}
	b.climb(
		func(peer, _, n int) {
			b.held(Output, peer, n, func(r Ref) { b.recv(b.turn(peer), r) })
		},
		func(peer, k, n int) {
			if k == 0 {
				b.send(b.turn(peer), b.mine(Input))
				return
			}
			b.held(Output, v, n, func(r Ref) { b.send(b.turn(peer), r) })
		})
}

func binomialScatter(b *builder) {
	v := b.turned()
	own := Ref{Scratch, 0, b.mine(Output).Len}
	if b.rank == b.Root {
		own = b.piece(Input, b.rank)
	}
	b.descend(
		func(peer, n int) {
			if v%2 == 1 {
				b.recv(b.turn(peer), b.mine(Output))
				return
			}
			b.held(Input, v, n, func(r Ref) { b.recv(b.turn(peer), r) })
		},
		func(peer, n int) {
			b.held(Input, peer, n, func(r Ref) { b.send(b.turn(peer), r) })
		})
	if v%2 == 0 {
		b.copy(own, b.mine(Output))
	}
}
