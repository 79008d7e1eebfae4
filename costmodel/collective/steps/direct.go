package steps

// naive reduces everything at rank 0 and sends it back from there.
func naive(b *builder) {
	in, out := b.all(Input), b.all(Output)
	if b.rank > 0 {
		b.send(0, in)
		b.round++
		b.recv(0, out)
		return
	}
	acc := in
	for p := 1; p < b.Ranks; p++ {
		b.recvReduce(p, acc, out)
		acc = out
	}
	if b.Ranks == 1 {
		b.copy(in, out)
	}
	b.round++
	for p := 1; p < b.Ranks; p++ {
		b.send(p, out)
	}
}

// oneShot reads every input into a slot of Scratch and reduces the slots in
// rank order, so that all ranks get the same bits. Output is written only
// when all peers have read Input, which it is when the call is in place.
func oneShot(b *builder) {
	in := b.all(Input)
	slot := func(r int) Ref { return Ref{Scratch, r * b.Count, b.Count} }
	for k := 1; k < b.Ranks; k++ {
		b.send(mod(b.rank+k, b.Ranks), in)
	}
	for k := 1; k < b.Ranks; k++ {
		from := mod(b.rank-k, b.Ranks)
		b.recv(from, slot(from))
	}
	if b.rank == 0 {
		b.copy(in, slot(0))
	}
	for r := 1; r < b.Ranks; r++ {
		src := slot(r)
		if r == b.rank {
			src = in
		}
		b.reduce(src, slot(0))
	}
	b.round++
	b.copy(slot(0), b.all(Output))
}

// twoShot is a direct reduce-scatter followed by a direct all-gather.
func twoShot(b *builder) {
	own := b.piece(Output, b.rank)
	b.directReduceScatter(own)
	b.round++
	b.directAllGather(own)
}

// directReduceScatter leaves the rank's reduced piece in dst.
func (b *builder) directReduceScatter(dst Ref) {
	acc := b.piece(Input, b.rank)
	if b.Ranks == 1 {
		b.copy(acc, dst)
	}
	for k := 1; k < b.Ranks; k++ {
		to := mod(b.rank+k, b.Ranks)
		b.send(to, b.piece(Input, to))
	}
	for k := 1; k < b.Ranks; k++ {
		b.recvReduce(mod(b.rank-k, b.Ranks), acc, dst)
		acc = dst
	}
}

// directAllGather sends own, the rank's piece, to everyone.
func (b *builder) directAllGather(own Ref) {
	for k := 1; k < b.Ranks; k++ {
		b.send(mod(b.rank+k, b.Ranks), own)
	}
	for k := 1; k < b.Ranks; k++ {
		from := mod(b.rank-k, b.Ranks)
		b.recv(from, b.piece(Output, from))
	}
}

func directAllGather(b *builder) {
	own := b.mine(Input)
	b.copy(own, b.piece(Output, b.rank))
	b.directAllGather(own)
}
