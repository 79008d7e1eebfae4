package steps

// turned returns the rank's place counted from the root.
func (b *builder) turned() int { return mod(b.rank-b.Root, b.Ranks) }

// turn returns the rank at place v counted from the root.
func (b *builder) turn(v int) int { return mod(b.Root+v, b.Ranks) }

// climb walks a binomial tree from its leaves: place v gives to v-2^k, where
// k is its lowest set bit, in round k, after it took from v+2^j in rounds
// j < k. held is how many places the giver stands for.
func (b *builder) climb(take, give func(peer, k, held int)) {
	v, n := b.turned(), b.Ranks
	for k := 0; 1<<k < n; k++ {
		d := 1 << k
		b.round = k
		if v&d != 0 {
			give(v-d, k, min(d, n-v))
			return
		}
		if v+d < n {
			take(v+d, k, min(d, n-v-d))
		}
	}
}

// descend walks the same tree from the root: rounds and directions reversed.
func (b *builder) descend(take, give func(peer, held int)) {
	v, n := b.turned(), b.Ranks
	for k := depth(n) - 1; k >= 0; k-- {
		d := 1 << k
		b.round = depth(n) - 1 - k
		switch {
		case v&(2*d-1) == d:
			take(v-d, min(d, n-v))
		case v&(2*d-1) == 0 && v+d < n:
			give(v+d, min(d, n-v-d))
		}
	}
}

// rootCopy moves the root's own input to its output.
func (b *builder) rootCopy(src, dst Ref) {
	if b.rank == b.Root {
		b.copy(src, dst)
	}
}

func flatBroadcast(b *builder) {
	b.rootCopy(b.all(Input), b.all(Output))
	if b.rank != b.Root {
		b.recv(b.Root, b.all(Output))
		return
	}
	for v := 1; v < b.Ranks; v++ {
		b.send(b.turn(v), b.all(Input))
	}
}

func binomialBroadcast(b *builder) {
	b.rootCopy(b.all(Input), b.all(Output))
	src := b.all(Output)
	if b.rank == b.Root {
		src = b.all(Input)
	}
	b.descend(
		func(peer, _ int) { b.recv(b.turn(peer), b.all(Output)) },
		func(peer, _ int) { b.send(b.turn(peer), src) })
}

// chain passes pieces from place to place: piece q leaves place v in round v+q.
func chain(b *builder) {
	b.rootCopy(b.all(Input), b.all(Output))
	v, src := b.turned(), Output
	if v == 0 {
		src = Input
	}
	for q := range pieces(b.Count, b.Chunk) {
		if v > 0 {
			b.round = v - 1 + q
			b.recv(b.turn(v-1), slice(Output, 0, b.Count, b.Chunk, q))
		}
		if v+1 < b.Ranks {
			b.round = v + q
			b.send(b.turn(v+1), slice(src, 0, b.Count, b.Chunk, q))
		}
	}
}

// scatterAllGather is van de Geijn's broadcast: part v of M goes to place v by
// a binomial tree, then round a ring. Nothing is sent to the root, which has
// it all.
func scatterAllGather(b *builder) {
	b.rootCopy(b.all(Input), b.all(Output))
	v, src := b.turned(), Output
	if v == 0 {
		src = Input
	}
	b.descend(
		func(peer, n int) { b.recv(b.turn(peer), b.span(Output, [2]int{v, v + n})) },
		func(peer, n int) { b.send(b.turn(peer), b.span(src, [2]int{peer, peer + n})) })
	b.round = depth(b.Ranks)
	for s := range b.Ranks - 1 {
		if v+1 < b.Ranks {
			b.send(b.turn(v+1), b.piece(src, v-s))
		}
		if v > 0 {
			b.recv(b.turn(v-1), b.piece(Output, v-s-1))
		}
		b.round++
	}
}

func directReduce(b *builder) {
	acc, out := b.all(Input), b.all(Output)
	if b.rank != b.Root {
		b.send(b.Root, acc)
		return
	}
	if b.Ranks == 1 {
		b.copy(acc, out)
	}
	for v := 1; v < b.Ranks; v++ {
		b.recvReduce(b.turn(v), acc, out)
		acc = out
	}
}

func binomialReduce(b *builder) {
	acc, dst := b.all(Input), b.all(Scratch)
	if b.rank == b.Root {
		dst = b.all(Output)
	}
	if b.Ranks == 1 {
		b.copy(acc, dst)
	}
	b.climb(
		func(peer, _, _ int) {
			b.recvReduce(b.turn(peer), acc, dst)
			acc = dst
		},
		func(peer, _, _ int) { b.send(b.turn(peer), acc) })
}
