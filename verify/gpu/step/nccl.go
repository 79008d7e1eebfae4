package step

import (
	"errors"
	"fmt"
	"slices"
	"time"

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

// Load splits the communicators of a work off that of all ranks.
func (n *NCCL) Load(w *replay.Work) error {
	n.work = w
	for number, k := range keysOf(w) {
		g := n.keys[k]
		if g != nil && g.comm != nil && k.kind == sampling {
			if err := g.comm.Close(); err != nil {
				return err
			}
			n.order = slices.DeleteFunc(n.order, func(c *nccl.Comm) bool { return c == g.comm })
		}
		if g == nil || k.kind == sampling {
			members := k.group(w, n.world.Rank)
			color, place := -1, 0
			if members != nil {
				color, place = members[0], slices.Index(members, n.world.Rank)
			}
			comm, err := n.world.Split(color, place)
			if err != nil {
				return fmt.Errorf("%s: %w", k.String(), err)
			}
			g = &ncclGroup{comm: comm, members: members, shift: k.kind == shifting}
			n.keys[k] = g
			n.order = append(n.order, comm)
		}
		if g.seq = 0; g.comm != nil {
			g.id = k.id(number, g.members)
		}
	}
	if err := n.reserve(w); err != nil {
		return err
	}
	return n.connect(w)
}

// connect makes every kind of call once, small, in an order on which all ranks
// agree. NCCL connects ranks when they first need it, and the host waits for
// both ends there: in the order of a step, ends could wait for each other.
func (n *NCCL) connect(w *replay.Work) error {
	for _, k := range keysOf(w) {
		g := n.keys[k]
		if g.comm == nil {
			continue
		}
		g.comm.On(n.home)
		for _, op := range opsOf(w, k) {
			err := g.do(n.call(op, collective.FP32, int64(4*len(g.members))))
			if err == nil {
				err = g.comm.Wait()
			}
			if err != nil {
				return fmt.Errorf("%s: %w", k.String(), err)
			}
		}
	}
	return nil
}

// reserve makes the marks and the buffers of a work's calls. Calls share two
// buffers: what they carry is not looked at.
func (n *NCCL) reserve(w *replay.Work) error {
	bytes := int64(sentinelBytes)
	for _, p := range w.Programs {
		for i := range p.Calls {
			bytes = max(bytes, p.Calls[i].Bytes)
		}
	}
	for i := range w.Samples {
		bytes = max(bytes, w.Samples[i].Bytes)
	}
	if err := addMarks(&n.marks, w, n.home); err != nil {
		return err
	}
	return n.grow(int(bytes) + 64)
}

func (n *NCCL) grow(bytes int) error {
	if bytes <= n.room {
		return nil
	}
	n.room = 0
	for i := range n.bufs {
		if err := n.home.Free(n.bufs[i]); err != nil {
			return err
		}
		var err error
		if n.bufs[i], err = n.home.Alloc(bytes); err != nil {
			return err
		}
	}
	n.room = bytes
	return nil
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

// sentinelBytes is the message of the sentinel: its time is that of latency
// and of bytes alike.
const sentinelBytes = 1 << 20

// Sentinel makes a fixed call of all ranks, a few times.
func (n *NCCL) Sentinel() error {
	if err := n.grow(sentinelBytes); err != nil {
		return err
	}
	for range 4 {
		if err := n.world.Do(n.call(collective.AllReduce, collective.FP32, sentinelBytes)); err != nil {
			return err
		}
	}
	return n.world.Wait()
}

// Exchange sends turns messages from the first of each pair to the second, and
// a word back.
func (n *NCCL) Exchange(c *replay.Command) (time.Duration, error) {
	comm, err := n.partner(c.Pairs)
	if err != nil || comm == nil {
		return 0, err
	}
	if err := n.grow(c.Bytes); err != nil {
		return 0, err
	}
	there := endOf(n.call(collective.Send, collective.FP32, int64(c.Bytes)), comm.Rank)
	back := there
	if back.Op, back.Count = collective.Recv, 1; there.Op == collective.Recv {
		back.Op = collective.Send
	}
	if err := n.home.Record(n.timer[0]); err != nil {
		return 0, err
	}
	for i := range c.Turns + 1 {
		k := there
		if i == c.Turns {
			k = back
		}
		if err := comm.Do(k); err != nil {
			return 0, err
		}
	}
	if err := errors.Join(n.home.Record(n.timer[1]), comm.Wait()); err != nil {
		return 0, err
	}
	took, err := n.home.Between(n.timer[0], n.timer[1])
	return time.Duration(took * 1e9), err
}

// partner returns the communicator of the rank's pair; all ranks ask at once.
func (n *NCCL) partner(pairs [][2]int) (*nccl.Comm, error) {
	color, place := -1, 0
	for _, p := range pairs {
		if i := slices.Index(p[:], n.world.Rank); i >= 0 {
			color, place = p[0], i
		}
	}
	name := fmt.Sprint(pairs)
	comm, known := n.pairs[name]
	if !known {
		var err error
		if comm, err = n.world.Split(color, place); err != nil {
			return nil, err
		}
		n.pairs[name] = comm
		n.order = append(n.order, comm)
	}
	if comm != nil {
		comm.On(n.home)
	}
	return comm, nil
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
