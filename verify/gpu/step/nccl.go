package step

import (
	"errors"
	"fmt"

	"planner/costmodel/collective"
	"planner/verify/gpu/cuda"
	"planner/verify/gpu/nccl"
	"planner/verify/replay"
)

// NCCL is a fabric of NCCL's or RCCL's communicators, one rank's end.
type NCCL struct {
	world *nccl.Comm
	lanes []Lane // replay.NumStreams of them
	home  Lane
	work  *replay.Work
	keys  map[key]*ncclGroup
	pairs map[string]*nccl.Comm
	order []*nccl.Comm   // as they were formed, the same on all ranks
	marks [][2]cuda.Mark // of the lanes' GPU, by slot
	bufs  [2]uintptr
	room  int
	timer [2]cuda.Mark
}

type ncclGroup struct {
	id      uint64
	comm    *nccl.Comm
	members []int
	shift   bool
	seq     int32
}

// do makes a call of the group. Every member of a shift sends to the next; of a
// pair the sender stands first.
func (g *ncclGroup) do(c nccl.Call) error {
	switch {
	case g.shift:
		return g.comm.Shift(c.Type, c.Count, c.In, c.Out)
	case c.Op == collective.Send:
		c = endOf(c, g.comm.Rank)
	}
	return g.comm.Do(c)
}

// endOf returns what a member of a pair does of its message.
func endOf(send nccl.Call, member int) nccl.Call {
	if send.Peer = 1; member == 1 {
		send.Op, send.Peer = collective.Recv, 0
	}
	return send
}

// NewNCCL returns the fabric of a rank with a communicator of all. lanes
// returns streams of the rank's GPU.
func NewNCCL(world *nccl.Comm, lanes func(n int) ([]Lane, error)) (*NCCL, error) {
	all, err := lanes(replay.NumStreams + 1)
	if err != nil {
		return nil, err
	}
	n := &NCCL{world: world, lanes: all[:replay.NumStreams], home: all[replay.NumStreams], keys: map[key]*ncclGroup{}, pairs: map[string]*nccl.Comm{}}
	world.On(n.home)
	if n.timer, err = twoMarks(n.home); err != nil {
		return nil, err
	}
	return n, nil
}

// Start puts a call on the stream of its axis.
func (n *NCCL) Start(c Calling, after cuda.Mark) (*Ticket, error) {
	g, lane, call := n.find(&c)
	if g.comm == nil {
		return nil, nil
	}
	t := &Ticket{Group: g.id, Seq: g.seq, Lane: lane, Begin: n.marks[c.Slot][0], End: n.marks[c.Slot][1], Queued: closed}
	g.seq++
	if err := errors.Join(lane.Await(after), lane.Record(t.Begin)); err != nil {
		return nil, err
	}
	g.comm.On(lane)
	return t, errors.Join(g.do(call), lane.Record(t.End))
}

var closed = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// find returns the group, the stream and the call itself.
func (n *NCCL) find(c *Calling) (*ncclGroup, Lane, nccl.Call) {
	if c.Program < 0 {
		s := &n.work.Samples[c.Sample]
		return n.keys[key{kind: sampling, sample: c.Sample}], n.lanes[0], n.call(s.Op, s.DType, s.Bytes)
	}
	p := n.work.Programs[c.Program]
	spec := &p.Calls[c.Action.Row]
	g := n.keys[keyOf(p, n.world.Rank/p.Inner, c.Action)]
	return g, n.lanes[replay.StreamOf(spec, c.Action)], n.call(spec.Op, spec.DType, spec.Bytes)
}

func (n *NCCL) call(op collective.Op, d collective.DType, bytes int64) nccl.Call {
	t := dtypeOf(d)
	return nccl.Call{Op: op, Type: t, Count: elements(bytes, t), In: n.bufs[0], Out: n.bufs[1]}
}

// Watch asks the communicators for asynchronous errors.
func (n *NCCL) Watch() error {
	for k, g := range n.keys {
		if g.comm == nil {
			continue
		}
		if err := g.comm.Watch(); err != nil {
			return fmt.Errorf("%s: %w", k.String(), err)
		}
	}
	return nil
}

// Close gives all but the communicator of all ranks back, in an order on which
// ranks agree: NCCL's ranks wait for each other in it.
func (n *NCCL) Close() error {
	var errs []error
	for _, c := range n.order {
		if c != nil {
			errs = append(errs, c.Close())
		}
	}
	for _, m := range n.marks {
		errs = append(errs, n.home.FreeMark(m[0]), n.home.FreeMark(m[1]))
	}
	for _, m := range n.timer {
		errs = append(errs, n.home.FreeMark(m))
	}
	for _, p := range n.bufs {
		errs = append(errs, n.home.Free(p))
	}
	return errors.Join(errs...)
}
