package step

import (
	"slices"
	"sync"
	"time"

	"planner/verify/gpu/cuda"
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
