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

// oneShot reads every input and reduces in rank order, so that all ranks get
// the same bits. Scratch takes the sum because a peer may still be reading
// Input, which Output is when the call is in place.
func oneShot(b *builder) {
	in, acc := b.all(Input), b.all(Scratch)
	for k := 1; k < b.Ranks; k++ {
		b.send(mod(b.rank+k, b.Ranks), in)
	}
	for p := range b.Ranks {
		switch {
		case p == b.rank && p == 0:
			b.copy(in, acc)
		case p == b.rank:
			b.reduce(in, acc)
		case p == 0:
			b.recv(p, acc)
		default:
			b.recvReduce(p, acc, acc)
		}
	}
	b.round++
	b.copy(acc, b.all(Output))
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
