package steps

// block returns the elements that come from rank from in Output.
func (b *builder) block(from int) Ref {
	n := b.mine(Output).Len
	return Ref{Output, mod(from, b.Ranks) * n, n}
}

func directAllToAll(b *builder) {
	b.copy(b.piece(Input, b.rank), b.block(b.rank))
	for k := 1; k < b.Ranks; k++ {
		b.send(mod(b.rank+k, b.Ranks), b.piece(Input, b.rank+k))
		b.recv(mod(b.rank-k, b.Ranks), b.block(b.rank-k))
	}
}

// pairwise sends to one rank and receives from one other in each round.
func pairwise(b *builder) {
	b.copy(b.piece(Input, b.rank), b.block(b.rank))
	for k := 1; k < b.Ranks; k++ {
		b.send(mod(b.rank+k, b.Ranks), b.piece(Input, b.rank+k))
		b.recv(mod(b.rank-k, b.Ranks), b.block(b.rank-k))
		b.round++
	}
}

// bruckAllToAll moves slot i, the piece for the rank i further on, by each
// power of two in i (Bruck et al., IEEE TPDS 8(11), 1997): a round packs the
// slots to be moved and sends them as one message.
func bruckAllToAll(b *builder) {
	slots := make([]Ref, b.Ranks)
	for i := range slots {
		slots[i] = b.piece(Input, b.rank+i)
	}
	top := 0
	for d := 1; d < b.Ranks; d *= 2 {
		top = b.bruckRound(slots, d, top)
	}
	for i, s := range slots {
		b.copy(s, b.block(b.rank-i))
	}
}

// bruckRound packs and moves the slots with bit d by d ranks. It uses Scratch
// from top and returns its new top. A slot that has moved by the bits below d
// is for the rank as far on as its other bits say.
func (b *builder) bruckRound(slots []Ref, d, top int) int {
	out := Ref{Scratch, top, 0}
	for i := range slots {
		if i&d != 0 {
			b.copy(slots[i], Ref{Scratch, out.Off + out.Len, slots[i].Len})
			out.Len += slots[i].Len
		}
	}
	in := Ref{Scratch, out.Off + out.Len, 0}
	for i := range slots {
		if i&d != 0 {
			n := b.piece(Input, b.rank+i&^(2*d-1)).Len
			slots[i] = Ref{Scratch, in.Off + in.Len, n}
			in.Len += n
		}
	}
	b.round++
	b.send(mod(b.rank+d, b.Ranks), out)
	b.recv(mod(b.rank-d, b.Ranks), in)
	b.round++
	return in.Off + in.Len
}
