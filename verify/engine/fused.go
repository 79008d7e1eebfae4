package engine

import (
	"planner/costmodel/collective"
	"planner/costmodel/collective/steps"
	"planner/verify/reduce"
)

// fusedBlock is how many bytes are reduced before they are written out: small
// enough that they wait in the first-level cache.
const fusedBlock = 16 << 10

// fuses reports whether a call may run fused.
func (t Tuning) fuses(s steps.Spec, bytes int) bool {
	return s.Op == collective.AllReduce && s.Alg == steps.TwoShot && s.Ranks > 1 && t.Fuse > 0 && bytes >= t.Fuse
}

// partial returns size bytes of this rank for what is not a result yet.
func (c *Comm) partial(size int) []byte {
	if c.block == nil {
		c.block = make([]byte, fusedBlock)
	}
	return c.block[:size]
}

// Fuses reports whether the engine runs a call of elements of elem bytes fused.
func (c *Comm) Fuses(s steps.Spec, elem int) bool {
	return c.open && c.tuning.fuses(s, s.Count*elem)
}

// fused runs a two-shot AllReduce in one pass over memory: a rank reads its
// piece of every input, and writes the result into every output at once. The
// bytes between any two ranks are those of the two-shot program, but no result
// is read again, and large ones are written around the caches. done is false
// when some rank's buffers are out of reach; then nothing has happened yet.
func (c *Comm) fused(call Call) (done bool, err error) {
	n, me := c.Size(), c.Rank()
	e := call.Type.Size()
	size := call.Count * e
	c.port.Step(0)
	for k := 1; k < n; k++ {
		to := (me + k) % n
		for _, b := range [2][]byte{call.In[:size], call.Out[:size]} {
			if err := c.port.Expose(to, b); err != nil {
				return false, err
			}
		}
	}
	if c.ins == nil {
		c.ins, c.outs = make([][]byte, n), make([][]byte, n)
	}
	ins, outs := c.ins, c.outs
	ins[me], outs[me] = call.In[:size], call.Out[:size]
	reach := c.reachable(call, size)
	for k := 1; k < n; k++ {
		from := (me + n - k) % n
		for _, v := range [2][][]byte{ins, outs} {
			var ok bool
			if v[from], ok, err = c.port.View(from, size); err != nil {
				return false, err
			}
			reach = reach && ok
		}
	}
	if reach {
		c.reducePiece(call, ins, outs)
		if err := c.port.Intact(); err != nil {
			return true, err
		}
	}
	for k := 1; k < n; k++ {
		c.port.Done((me + k) % n)
	}
	return reach, c.port.Flush()
}

// reachable reports whether the other ranks can reach this rank's buffers. All
// ranks must come to one answer about all, so each tells what it has exposed
// by what it exposes.
func (c *Comm) reachable(call Call, size int) bool {
	return c.port.Reaches(call.In[:size]) && c.port.Reaches(call.Out[:size])
}

// reducePiece reduces this rank's piece of ins, in rank order, into outs.
func (c *Comm) reducePiece(call Call, ins, outs [][]byte) {
	e := call.Type.Size()
	off, n := steps.Cut(call.Count, c.Size(), c.Rank())
	merge := reduce.Kernel(call.Type, call.Reduction)
	write := func(dst, src []byte) int { return copy(dst, src) }
	if call.Bytes() >= c.tuning.Stream && !same(call.In, call.Out) { // in place the lines are in the cache
		write = reduce.CopyStream
	}
	for o, end := off*e, (off+n)*e; o < end; o += fusedBlock {
		to := min(o+fusedBlock, end)
		t := c.partial(to - o)
		merge(t, ins[0][o:to], ins[1][o:to])
		for _, in := range ins[2:] {
			merge(t, t, in[o:to])
		}
		if call.Reduction == reduce.Avg {
			reduce.Scale(call.Type, t, c.Size())
		}
		for k := range outs { // each rank begins elsewhere
			write(outs[(c.Rank()+k)%len(outs)][o:to], t)
		}
	}
}
