package step

import (
	"errors"
	"sync"

	"planner/costmodel/collective"
	"planner/costmodel/collective/steps"
	"planner/verify/gpu/cuda"
	"planner/verify/reduce"
)

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
