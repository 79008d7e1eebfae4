package steps

// circle is a ring of n ranks that shares Count elements from off: member i
// is rank(i), this rank is member me, and part i belongs to member i. size is
// the longest pipelined piece of a part; 0 does not cut.
type circle struct {
	*builder
	rank       func(i int) int
	n, me      int
	off, count int
	size       int
}

// whole is the ring of all ranks over all of M.
func (b *builder) whole() circle {
	return circle{b, func(i int) int { return mod(i, b.Ranks) }, b.Ranks, b.rank, 0, b.Count, b.Chunk}
}

// pieces returns into how many pieces each part is cut.
func (c circle) pieces() int {
	_, longest := Cut(c.count, c.n, c.n-1) // the last part is never the shorter one
	return pieces(longest, c.size)
}

func pieces(n, size int) int {
	if size == 0 || n == 0 {
		return 1
	}
	return (n + size - 1) / size
}

// slice returns piece q of the n elements at off.
func slice(buf Buf, off, n, size, q int) Ref {
	if size == 0 {
		return Ref{buf, off, n}
	}
	lo := min(q*size, n)
	return Ref{buf, off + lo, min(size, n-lo)}
}

// part returns piece q of part i.
func (c circle) part(buf Buf, i, q int) Ref {
	off, n := Cut(c.count, c.n, mod(i, c.n))
	return slice(buf, c.off+off, n, c.size, q)
}

// reduceScatter passes partial sums of piece q round the ring; part me ends
// complete. dst says where the sum of round s over the input in goes.
func (c circle) reduceScatter(q int, src Buf, dst func(s int, in Ref) Ref) {
	held := c.part(src, c.me-1, q)
	for s := range c.n - 1 {
		in := c.part(src, c.me-s-2, q)
		out := dst(s, in)
		c.send(c.rank(c.me+1), held)
		c.recvReduce(c.rank(c.me-1), in, out)
		held = out
		c.round++
	}
}

// toOutput keeps a sum at the place of its input.
func toOutput(_ int, in Ref) Ref { return Ref{Output, in.Off, in.Len} }

// allGather passes piece q of every part round the ring, beginning with held,
// the rank's own.
func (c circle) allGather(q int, held Ref) {
	for s := range c.n - 1 {
		in := c.part(Output, c.me-s-1, q)
		c.send(c.rank(c.me+1), held)
		c.recv(c.rank(c.me-1), in)
		held = in
		c.round++
	}
}

func ringAllReduce(b *builder) {
	c := b.whole()
	if c.n == 1 {
		b.copy(b.all(Input), b.all(Output))
	}
	for q := range c.pieces() {
		c.reduceScatter(q, Input, toOutput)
		c.allGather(q, c.part(Output, c.me, q))
	}
}

// ringReduceScatter keeps partial sums in two slots of Scratch by turns.
func ringReduceScatter(b *builder) {
	c := b.whole()
	if c.n == 1 {
		b.copy(b.all(Input), b.all(Output))
	}
	slot := c.part(Scratch, -1, 0).Len
	for q := range c.pieces() {
		c.reduceScatter(q, Input, func(s int, in Ref) Ref {
			if s == c.n-2 {
				return slice(Output, 0, b.mine(Output).Len, c.size, q)
			}
			return Ref{Scratch, s % 2 * slot, in.Len}
		})
	}
}

func ringAllGather(b *builder) {
	c := b.whole()
	b.copy(b.mine(Input), b.piece(Output, b.rank))
	for q := range c.pieces() {
		c.allGather(q, slice(Input, 0, b.mine(Input).Len, c.size, q))
	}
}
