package replay

import (
	"encoding/binary"
	"errors"
	"hash/fnv"

	"planner/costmodel/collective"
	"planner/costmodel/collective/steps"
	"planner/verify/engine"
	"planner/verify/reduce"
	"planner/verify/transport"
)

// group is a rank's end of one communication group: as many rings as the group
// has ranks in a node, each leaving the node by another rank, so that every
// NIC of a node carries its share, as NCCL's channels do.
type group struct {
	id    uint64
	size  int
	rings []*engine.Comm
	shift bool            // every rank sends to the next: see exchange
	calls int             // made so far
	bell  *transport.Port // of wireMeetings
	a, b  []byte
}

// whole makes every call one message a step, whatever its size: what the plan
// prices.
var whole = engine.Tuning{Chunk: 1 << 40}

// openGroup opens a group by its members, given by world rank. Groups of the
// same members are told apart by tag.
func openGroup(w transport.World, tag uint64, members []int, shift bool) (*group, error) {
	g := &group{id: hash(tag, members), size: len(members), shift: shift}
	n := ringsOf(w, members)
	if shift {
		n = colors
	}
	for j := range n {
		order := members
		if !shift {
			order = rotate(w, members, j)
		}
		c, err := engine.NewGroup(w, hash(g.id+uint64(j)+1, order), order)
		if err != nil {
			return nil, errors.Join(err, g.close(w))
		}
		c.SetTuning(whole)
		g.rings = append(g.rings, c)
	}
	return g, nil
}

func hash(tag uint64, members []int) uint64 {
	h := fnv.New64a()
	_ = binary.Write(h, binary.LittleEndian, tag)
	for _, m := range members {
		_ = binary.Write(h, binary.LittleEndian, int64(m))
	}
	return h.Sum64() | 1<<63 // beyond the engine's own
}

// ringsOf returns how many rings a group runs: its ranks in a node where it
// spans nodes evenly, else one.
func ringsOf(w transport.World, members []int) int {
	per := map[int]int{}
	for _, m := range members {
		per[w.Node(m)]++
	}
	n := len(members) / len(per)
	for _, k := range per {
		if k != n || len(per) == 1 {
			return 1
		}
	}
	return n
}

// rotate turns the members of each node by j places.
func rotate(w transport.World, members []int, j int) []int {
	out := make([]int, 0, len(members))
	for i := 0; i < len(members); {
		end := i
		for end < len(members) && w.Node(members[end]) == w.Node(members[i]) {
			end++
		}
		for k := range end - i {
			out = append(out, members[i+(k+j)%(end-i)])
		}
		i = end
	}
	return out
}

func (g *group) close(w transport.World) error {
	var err error
	if g.bell != nil {
		err = g.bell.Close()
	}
	for _, c := range g.rings {
		err = errors.Join(err, c.Close())
	}
	w.Free(g.a)
	w.Free(g.b)
	return err
}

// reserve makes the buffers at least n bytes long.
func (g *group) reserve(w transport.World, n int) error {
	if n <= len(g.a) {
		return nil
	}
	w.Free(g.a)
	w.Free(g.b)
	var err, err2 error
	g.a, err = w.Alloc(n)
	g.b, err2 = w.Alloc(n)
	return errors.Join(err, err2)
}

// do makes one call and returns when it has ended on this rank.
func (g *group) do(c *CallSpec, peer int) error {
	g.calls++
	n := len(g.rings)
	if g.shift {
		return g.exchange(c)
	}
	if n == 1 || !ringable(c) {
		return g.rings[0].Do(g.call(c, 0, 1, peer))
	}
	handles := make([]*engine.Handle, n)
	for j := range n {
		handles[j] = g.rings[j].Start(g.call(c, j, n, peer))
	}
	var err error
	for _, h := range handles {
		err = errors.Join(err, h.Wait())
	}
	return err
}

// colors is how many communicators a shift needs, so that no rank sends and
// receives on the same one: two in turn, and a third where an odd ring closes.
const colors = 3

func (g *group) color(sender int) int {
	if g.size%2 == 1 && sender == g.size-1 {
		return 2
	}
	return sender % 2
}

// exchange sends to the next rank of the group while it receives from the one
// before, as ring attention does.
func (g *group) exchange(c *CallSpec) error {
	me := g.rings[0].Rank()
	before := (me + g.size - 1) % g.size
	in := g.call(c, 0, 1, before)
	in.Op = collective.Recv
	sent := g.rings[g.color(me)].Start(g.call(c, 0, 1, (me+1)%g.size))
	return errors.Join(g.rings[g.color(before)].Do(in), sent.Wait())
}

// ringable reports whether a call is carried by rings.
func ringable(c *CallSpec) bool {
	return c.Algorithm == collective.Ring && forced(c).Forced
}

// call returns part j of n of a call as the engine takes it.
func (g *group) call(c *CallSpec, j, n, peer int) engine.Call {
	t := dtypeOf(c.DType)
	count := max(1, int(float64(c.Bytes)/float64(t.Size())/float64(n)+0.5))
	off := j * count * t.Size()
	return engine.Call{Op: c.Op, Type: t, Reduction: reduce.Sum, Peer: peer, Count: count, Algorithm: forced(c),
		In: g.a[off : off+count*t.Size()], Out: g.b[off : off+count*t.Size()]}
}

// forced returns the engine's algorithm for the one that a call was priced
// with.
func forced(c *CallSpec) engine.Choice {
	switch c.Op {
	case collective.AllReduce:
		return engine.Force(steps.Ring)
	case collective.ReduceScatter, collective.AllGather:
		if c.Algorithm == collective.PAT {
			return engine.Force(steps.Recursive)
		}
		return engine.Force(steps.Ring)
	case collective.AllToAll:
		return engine.Force(steps.Direct)
	}
	return engine.Choice{}
}

// dtypeOf returns the engine's type for a call's. Types that it cannot reduce
// travel as words of the same bytes; the calls that reduce are of floats.
func dtypeOf(d collective.DType) reduce.DType {
	switch d {
	case collective.BF16:
		return reduce.BF16
	case collective.FP16:
		return reduce.F16
	case collective.FP32:
		return reduce.F32
	}
	return reduce.I32
}

// bufferBytes returns the bytes that a call of c needs, rounding included.
func bufferBytes(c *CallSpec, rings int) int {
	return int(c.Bytes) + 16*(rings+1)
}
