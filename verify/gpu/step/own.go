package step

import (
	"errors"
	"slices"
	"sync"
	"time"

	"planner/costmodel/collective"
	"planner/costmodel/collective/steps"
	"planner/verify/gpu/cuda"
	"planner/verify/reduce"
	"planner/verify/replay"
)

// Own is the fabric of the engine's own kernels: all ranks are in this process,
// and the last of a group to come puts the call on the streams of all.
type Own struct {
	d        *cuda.Driver
	ordinals []int // GPU of each rank
	timeout  time.Duration

	mu     sync.Mutex
	work   *replay.Work
	kinds  map[key]ownKind
	groups map[groupKey]*ownGroup
}

// ownKind is what a work wants of the groups of a key.
type ownKind struct{ number, bytes int }

type groupKey struct {
	key
	first int // rank
}

// ownGroup is a group with a stream for every member.
type ownGroup struct {
	mu      sync.Mutex
	g       *cuda.Group
	id      uint64
	members []int
	lanes   []*cuda.Seat
	in, out []cuda.Pointer
	room    int
	pending map[int32]*meeting
	seq     []int32 // calls that each member has come to
}

// meeting is a call that not all members have come to.
type meeting struct {
	here    int
	after   []cuda.Mark
	tickets []*Ticket
	call    ownCall
}

type ownCall struct {
	op    collective.Op
	shift bool
	t     reduce.DType
	count int
}

// NewOwn returns the fabric of ranks on GPUs of this process; [Own.Rank] is
// each one's end.
func NewOwn(d *cuda.Driver, ordinals []int, timeout time.Duration) *Own {
	return &Own{d: d, ordinals: ordinals, timeout: timeout, groups: map[groupKey]*ownGroup{}}
}

// Rank returns a rank's end.
func (o *Own) Rank(r int, home Lane) Fabric { return &ownRank{Own: o, rank: r, home: home} }

type ownRank struct {
	*Own
	rank  int
	home  Lane
	marks [][2]cuda.Mark // by slot
}

// Load takes a work, of which all ranks have the same.
func (r *ownRank) Load(w *replay.Work) error {
	if err := addMarks(&r.marks, w, r.home); err != nil {
		return err
	}
	return r.take(w)
}

// addMarks makes the marks that the slots of a work lack.
func addMarks(marks *[][2]cuda.Mark, w *replay.Work, l Lane) error {
	slots := 1
	for _, p := range w.Programs {
		slots = max(slots, p.Slots)
	}
	for len(*marks) < slots {
		m, err := twoMarks(l)
		if err != nil {
			return err
		}
		*marks = append(*marks, m)
	}
	return nil
}

func twoMarks(l Lane) (m [2]cuda.Mark, err error) {
	for i := range m {
		if m[i], err = l.NewMark(); err != nil {
			return m, err
		}
	}
	return m, nil
}

// take notes what a work wants, once for all ranks.
func (o *Own) take(w *replay.Work) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.work == w {
		return nil
	}
	o.work, o.kinds = w, map[key]ownKind{}
	for i, k := range keysOf(w) {
		o.kinds[k] = ownKind{number: i}
	}
	for k, c := range starts(w) {
		x := o.kinds[k]
		x.bytes = max(x.bytes, int(c.Bytes))
		o.kinds[k] = x
	}
	for g, x := range o.groups {
		if g.kind == sampling {
			if err := x.close(); err != nil {
				return err
			}
			delete(o.groups, g)
		}
	}
	return nil
}

// group returns a rank's group of a key, opened when it is first needed, and
// its place in it.
func (o *Own) group(k key, members []int, rank, bytes int) (*ownGroup, int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	place := slices.Index(members, rank)
	x := o.groups[groupKey{k, members[0]}]
	if x == nil {
		var on []int
		for _, m := range members {
			on = append(on, o.ordinals[m])
		}
		g, err := cuda.NewGroup(o.d, on)
		if err != nil {
			return nil, 0, err
		}
		g.Timeout = o.timeout
		x = &ownGroup{g: g, id: k.id(o.kinds[k].number, members), members: members,
			seq: make([]int32, len(members)), pending: map[int32]*meeting{},
			in: make([]cuda.Pointer, len(members)), out: make([]cuda.Pointer, len(members))}
		for i := range members {
			x.lanes = append(x.lanes, g.Seat(i))
		}
		o.groups[groupKey{k, members[0]}] = x
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	return x, place, x.grow(max(bytes, o.kinds[k].bytes) + 64)
}

// grow gives every member buffers; no call may be in progress where they are
// too small.
func (x *ownGroup) grow(bytes int) error {
	if bytes <= x.room {
		return nil
	}
	if err := x.g.Wait(); err != nil {
		return err
	}
	for i := range x.members {
		for _, p := range []*cuda.Pointer{&x.in[i], &x.out[i]} {
			if err := x.g.Free(i, *p); err != nil {
				return err
			}
			var err error
			if *p, err = x.g.Alloc(i, bytes); err != nil {
				return err
			}
		}
	}
	x.room = bytes
	return nil
}

// Start comes to a call.
func (r *ownRank) Start(c Calling, after cuda.Mark) (*Ticket, error) {
	if c.Program < 0 {
		s := &r.work.Samples[c.Sample]
		k := key{kind: sampling, sample: c.Sample}
		members := k.group(r.work, r.rank)
		if members == nil {
			return nil, nil
		}
		t := dtypeOf(s.DType)
		return r.come(k, members, int(s.Bytes), ownCall{op: s.Op, t: t, count: elements(s.Bytes, t)}, after, r.marks[c.Slot])
	}
	p := r.work.Programs[c.Program]
	spec := &p.Calls[c.Action.Row]
	k := keyOf(p, r.rank/p.Inner, c.Action)
	t := dtypeOf(spec.DType)
	call := ownCall{op: spec.Op, shift: k.kind == shifting, t: t, count: elements(spec.Bytes, t)}
	return r.come(k, k.group(r.work, r.rank), int(spec.Bytes), call, after, r.marks[c.Slot])
}

// come registers the rank for its next call of a group. The last to come puts
// the call on all members' streams.
func (r *ownRank) come(k key, members []int, bytes int, c ownCall, after cuda.Mark, marks [2]cuda.Mark) (*Ticket, error) {
	x, place, err := r.group(k, members, r.rank, bytes)
	if err != nil {
		return nil, err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	seq := x.seq[place]
	x.seq[place]++
	m := x.meeting(seq)
	t := &Ticket{Group: x.id, Seq: seq, Lane: x.lanes[place], Begin: marks[0], End: marks[1], Queued: make(chan struct{})}
	m.tickets[place], m.after[place] = t, after
	if m.here == 0 {
		m.call = c
	}
	if m.here++; m.here == len(members) {
		err := x.put(m)
		delete(x.pending, seq)
		for _, t := range m.tickets {
			t.Err = err
			close(t.Queued)
		}
	}
	return t, nil
}

// meeting returns the call of a number.
func (x *ownGroup) meeting(seq int32) *meeting {
	m := x.pending[seq]
	if m == nil {
		n := len(x.members)
		m = &meeting{after: make([]cuda.Mark, n), tickets: make([]*Ticket, n)}
		x.pending[seq] = m
	}
	return m
}

// put enqueues a call to which all have come.
func (x *ownGroup) put(m *meeting) error {
	for i, l := range x.lanes {
		if err := errors.Join(l.Await(m.after[i]), l.Record(m.tickets[i].Begin)); err != nil {
			return err
		}
	}
	if err := x.do(m.call); err != nil {
		return err
	}
	for i, l := range x.lanes {
		if err := l.Record(m.tickets[i].End); err != nil {
			return err
		}
	}
	return nil
}

func (x *ownGroup) do(c ownCall) error {
	if c.shift {
		return x.g.Shift(c.t, c.count, x.in, x.out)
	}
	op := c.op
	if op == collective.Send || op == collective.Recv { // the sender stands first
		op = collective.Broadcast
	}
	bytes := c.count * c.t.Size()
	return x.g.Do(cuda.Call{Spec: steps.Spec{Op: op, Ranks: len(x.members), Count: c.count, Alg: cuda.Choose(op, bytes)}, Type: c.t,
		In: x.in, Out: x.out})
}

func (x *ownGroup) close() error {
	var errs []error
	for i := range x.members {
		errs = append(errs, x.g.Free(i, x.in[i]), x.g.Free(i, x.out[i]))
	}
	return errors.Join(append(errs, x.g.Close())...)
}
