package steps

import (
	"fmt"

	"planner/costmodel/collective"
)

// maxChecked is how many ranks a symbol can name.
const maxChecked = 64

// symbol is what an element holds during a check: which element of the call
// it stands for, and a bit for each rank whose contribution is in it. The
// zero symbol was never written.
type symbol struct {
	elem int
	from uint64
}

// Check interprets the programs of all ranks of s together, on symbols
// instead of numbers, and proves that
//   - sends and receives match: same round, same length, nothing left over, so
//     no rank can wait for ever even when no message is buffered;
//   - no step reads what was not written, writes Input, or in one round writes
//     what a Send of that round reads;
//   - every element of every output ends with exactly the contributions that
//     the operation defines, each once.
//
// With inPlace, Input and Output share memory as [InPlace] says. It returns
// the first violation, or nil. s has at most 64 ranks.
func Check(s Spec, progs []Program, inPlace bool) error {
	if s.Ranks > maxChecked || len(progs) != s.Ranks {
		return fmt.Errorf("ranks %d: cannot be checked with %d programs: want one each for at most %d",
			s.Ranks, len(progs), maxChecked)
	}
	c := &checker{Spec: s, inPlace: inPlace, next: make([]int, s.Ranks), queues: map[[2]int][]message{}}
	for r, p := range progs {
		c.mem = append(c.mem, c.newMemory(r, p.ScratchLen()))
	}
	for round := 0; ; round++ {
		more, err := c.step(round, progs)
		if err != nil {
			return fmt.Errorf("%v %v over %d ranks: %w", s.Op, s.Alg, s.Ranks, err)
		}
		if !more {
			return c.outcome()
		}
	}
}

type message struct {
	round int
	body  []symbol
}

type checker struct {
	Spec
	inPlace bool
	next    []int // first step of each rank not yet done
	mem     []memory
	queues  map[[2]int][]message // by sender and receiver
}

// memory is the memory of one rank, in which its buffers lie.
type memory struct {
	cells     []symbol
	base, len [NumBufs]int
}

// newMemory returns the memory of a rank before the call.
func (c *checker) newMemory(rank, scratch int) memory {
	in, out := Lens(c.Spec, rank)
	m := memory{len: [NumBufs]int{in, out, scratch}, base: [NumBufs]int{0, in, in + out}}
	off, _ := Cut(c.Count, c.Ranks, rank)
	if c.inPlace && in > 0 && out > 0 {
		m.base = [NumBufs]int{0, 0, max(in, out)}
		if in > out {
			m.base[Output] = off
		} else if out > in {
			m.base[Input] = off
		}
	}
	m.cells = make([]symbol, in+out+scratch)
	first := 0
	if c.Op == collective.AllGather || c.Op == collective.Gather {
		first = off
	}
	for i := range in {
		m.cells[m.base[Input]+i] = symbol{first + i, 1 << rank}
	}
	return m
}

func (m *memory) has(r Ref) bool {
	return r.Buf < NumBufs && r.Off >= 0 && r.Len > 0 && r.Off+r.Len <= m.len[r.Buf]
}

func (m *memory) slice(r Ref) []symbol {
	at := m.base[r.Buf] + r.Off
	return m.cells[at : at+r.Len]
}

func (m *memory) overlap(x, y Ref) bool {
	a, b := m.base[x.Buf]+x.Off, m.base[y.Buf]+y.Off
	return a < b+y.Len && b < a+x.Len
}

// idle reports whether s is a Copy onto itself, which does nothing.
func (m *memory) idle(s Step) bool {
	return s.Kind == Copy && m.base[s.Src.Buf]+s.Src.Off == m.base[s.Dst.Buf]+s.Dst.Off
}

// read returns the elements of r after checking that all were written.
func (m *memory) read(r Ref) ([]symbol, error) {
	if !m.has(r) {
		return nil, fmt.Errorf("reads %d elements at %d of %v, which has %d", r.Len, r.Off, r.Buf, m.len[r.Buf])
	}
	v := m.slice(r)
	for i, x := range v {
		if x.from == 0 {
			return nil, fmt.Errorf("reads %v[%d] before it is written", r.Buf, r.Off+i)
		}
	}
	return v, nil
}

// step runs one round on all ranks and reports whether any step is left.
func (c *checker) step(round int, progs []Program) (more bool, err error) {
	now := make([]Program, len(progs))
	for r, p := range progs {
		i := c.next[r]
		for c.next[r] < len(p) && p[c.next[r]].Round == round {
			c.next[r]++
		}
		now[r] = p[i:c.next[r]]
		more = more || c.next[r] < len(p)
		if err := c.sends(r, now[r]); err != nil {
			return false, err
		}
	}
	for r, p := range now {
		for _, s := range p {
			if err := c.other(r, s); err != nil {
				return false, fmt.Errorf("rank %d, round %d, %v: %w", r, round, s.Kind, err)
			}
		}
	}
	for k, q := range c.queues {
		if len(q) > 0 {
			return false, fmt.Errorf("round %d: rank %d sends %d elements that rank %d does not receive",
				round, k[0], len(q[0].body), k[1])
		}
	}
	return more, nil
}

// sends posts the Sends of a round and checks that no other step of the round
// writes what they read.
func (c *checker) sends(rank int, p Program) error {
	for _, s := range p {
		if s.Kind != Send {
			continue
		}
		body, err := c.mem[rank].read(s.Src)
		if err != nil {
			return fmt.Errorf("rank %d, round %d, send: %w", rank, s.Round, err)
		}
		for _, o := range p {
			if o.Kind != Send && !c.mem[rank].idle(o) && c.mem[rank].overlap(o.Dst, s.Src) {
				return fmt.Errorf("rank %d, round %d: %v writes what is being sent", rank, s.Round, o.Kind)
			}
		}
		k := [2]int{rank, s.Peer}
		c.queues[k] = append(c.queues[k], message{s.Round, append([]symbol(nil), body...)})
	}
	return nil
}

// other does a step that is not a Send.
func (c *checker) other(rank int, s Step) (err error) {
	var x, y []symbol
	switch s.Kind {
	case Send:
		return nil
	case Recv:
		y, err = c.take(rank, s)
	case Copy:
		y, err = c.mem[rank].read(s.Src)
	case Reduce:
		if y, err = c.mem[rank].read(s.Src); err == nil {
			x, err = c.mem[rank].read(s.Dst)
		}
	case RecvReduce:
		if y, err = c.take(rank, s); err == nil {
			x, err = c.mem[rank].read(s.Src)
		}
	}
	if err != nil {
		return err
	}
	return c.write(rank, s.Dst, x, y)
}

// take returns the message that a receive of rank gets.
func (c *checker) take(rank int, s Step) ([]symbol, error) {
	k := [2]int{s.Peer, rank}
	q := c.queues[k]
	if len(q) == 0 || q[0].round != s.Round || len(q[0].body) != s.Dst.Len {
		return nil, fmt.Errorf("no message of %d elements from rank %d in this round", s.Dst.Len, s.Peer)
	}
	c.queues[k] = q[1:]
	return q[0].body, nil
}

// write stores y, reduced with x unless that is nil, in dst.
func (c *checker) write(rank int, dst Ref, x, y []symbol) error {
	m := &c.mem[rank]
	if dst.Buf == Input || !m.has(dst) || len(y) != dst.Len || x != nil && len(x) != dst.Len {
		return fmt.Errorf("cannot write %d elements to %v[%d:%d]", len(y), dst.Buf, dst.Off, dst.Off+dst.Len)
	}
	out := m.slice(dst)
	for i, v := range y {
		if x != nil {
			if x[i].elem != v.elem || x[i].from&v.from != 0 {
				return fmt.Errorf("reduces element %d from ranks %b with element %d from ranks %b", x[i].elem, x[i].from, v.elem, v.from)
			}
			v.from |= x[i].from
		}
		out[i] = v
	}
	return nil
}

// outcome compares every output with the definition of the operation.
func (c *checker) outcome() error {
	for r := range c.mem {
		out := Ref{Output, 0, c.mem[r].len[Output]}
		for i, got := range c.mem[r].slice(out) {
			if want := c.want(r, i); got != want {
				return fmt.Errorf("%v %v over %d ranks: rank %d ends with element %d from ranks %b in output[%d]: want element %d from %b",
					c.Op, c.Alg, c.Ranks, r, got.elem, got.from, i, want.elem, want.from)
			}
		}
	}
	return nil
}

// want is the definition: what output[i] of rank must hold.
func (c *checker) want(rank, i int) symbol {
	all := uint64(1)<<c.Ranks - 1
	off, n := Cut(c.Count, c.Ranks, rank)
	switch c.Op {
	case collective.ReduceScatter:
		return symbol{off + i, all}
	case collective.AllGather, collective.Gather:
		return symbol{i, 1 << c.owner(i)}
	case collective.AllToAll:
		return symbol{off + i%n, 1 << (i / n)}
	case collective.Scatter:
		return symbol{off + i, 1 << c.Root}
	case collective.Broadcast, collective.Send, collective.Recv:
		return symbol{i, 1 << c.Root}
	}
	return symbol{i, all}
}

// owner returns the rank whose piece holds element i.
func (c *checker) owner(i int) int {
	for r := range c.Ranks {
		if off, n := Cut(c.Count, c.Ranks, r); i < off+n {
			return r
		}
	}
	return -1
}
