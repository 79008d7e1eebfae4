package replay

import (
	"errors"
	"runtime"
	"time"

	"planner/costmodel/collective"
)

// member is one rank at one program.
type member struct {
	*seat
	program *Program
	stage   int
	begin   time.Time
	late    time.Duration // by which the last delay overslept
}

// Streams of a rank: one for each axis, and one for each direction of hops and
// side of them, so that a hop never waits for one that goes elsewhere.
const (
	streamHops = int(collective.NumAxes)
	NumStreams = streamHops + 4
)

// StreamOf returns the stream of a call, below NumStreams.
func StreamOf(c *CallSpec, a *Action) int {
	if a.Peer < 0 {
		return int(c.Axis)
	}
	s := streamHops + 2*int(a.Dir)
	if isReceive(c) {
		s++
	}
	return s
}

func isReceive(c *CallSpec) bool { return c.Op == collective.Recv }

// wants returns the groups that the program needs, each call's.
func (m *member) wants() []wanted {
	var out []wanted
	seen := map[[2]int32]bool{}
	for i := range m.program.Stages[m.stage] {
		a := &m.program.Stages[m.stage][i]
		if k := [2]int32{a.Row, a.Peer}; a.Kind == Start && !seen[k] {
			seen[k] = true
			out = append(out, m.group(a))
		}
	}
	return out
}

// group returns the group of a call. Groups of the same ranks are told apart
// by what streams they serve.
func (m *member) group(a *Action) wanted {
	c := &m.program.Calls[a.Row]
	me := m.world.Rank()
	w := wanted{tag: uint64(c.Axis), bytes: func(rings int) int { return bufferBytes(c, rings) }}
	if a.Peer >= 0 {
		other := me + (int(a.Peer)-m.stage)*m.program.Inner
		w.tag, w.hop, w.members = uint64(streamHops)+uint64(a.Dir), true, []int{me, other}
		if isReceive(c) {
			w.members = []int{other, me}
		}
		return w
	}
	base := me - me/c.Stride%c.Size*c.Stride
	for i := range c.Size {
		w.members = append(w.members, base+i*c.Stride)
	}
	if c.Op == collective.Send {
		w.tag, w.shift = w.tag+32, true // a shift: its communicators are its own
	}
	return w
}

// job is a call on its way through a stream.
type job struct {
	a     *Action
	group *group
	done  chan struct{}
}

// step runs the program once, from begin on, and returns what its calls took
// and when it ended.
func (m *member) step(begin time.Time) ([]event, time.Duration, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	m.begin, m.late = begin, 0
	var streams [NumStreams]*stream
	slots := make([]chan struct{}, m.program.Slots)
	program := m.program.Stages[m.stage]
	var fault error
	for i := range program {
		a := &program[i]
		switch a.Kind {
		case Delay:
			m.delay(time.Duration(a.Seconds * 1e9))
		case Wait:
			<-slots[a.Slot]
		case Start:
			s := StreamOf(&m.program.Calls[a.Row], a)
			if streams[s] == nil {
				streams[s] = m.serve()
			}
			slots[a.Slot] = make(chan struct{})
			w := m.group(a)
			streams[s].queue <- job{a, m.groups[w.id()], slots[a.Slot]}
		}
		if m.world.Abort().Err() != nil {
			break
		}
	}
	end := time.Since(begin)
	var events []event
	for _, s := range streams {
		if s == nil {
			continue
		}
		close(s.queue)
		<-s.ended
		events, fault = append(events, s.events...), errors.Join(fault, s.err)
	}
	return events, end, fault
}

// delay stands for computation. What one delay oversleeps, the next gives back.
func (m *member) delay(d time.Duration) {
	until := time.Now().Add(d - m.late)
	for left := time.Until(until); left > 0; left = time.Until(until) {
		nap(left)
	}
	m.late = min(time.Since(until), d)
}

// stream runs the calls of an axis in order, beside the rest of the rank.
type stream struct {
	queue  chan job
	ended  chan struct{}
	events []event
	err    error
}

// pending bounds the calls that wait in a stream.
const pending = 4096

func (m *member) serve() *stream {
	s := &stream{queue: make(chan job, pending), ended: make(chan struct{})}
	go func() {
		defer close(s.ended)
		for j := range s.queue {
			s.err = errors.Join(s.err, m.rendezvous(&j))
			c := &m.program.Calls[j.a.Row]
			e := event{Group: j.group.id, Seq: int32(j.group.calls), Row: j.a.Row, Begin: time.Since(m.begin)}
			if s.err == nil {
				s.err = j.group.do(c, peerOf(c))
			}
			e.End = time.Since(m.begin)
			s.events = append(s.events, e)
			close(j.done)
		}
	}()
	return s
}

// rendezvous holds a hop back until both of its ends are there.
func (m *member) rendezvous(j *job) error {
	switch {
	case j.a.Peer < 0:
		return nil
	case isReceive(&m.program.Calls[j.a.Row]):
		return m.meet.arrive(j.group, j.group.calls)
	}
	return m.meet.await(j.group, j.group.calls, m.failed)
}

// peerOf returns the other end of a hop: its group has the sender first.
func peerOf(c *CallSpec) int {
	if c.Op == collective.Send {
		return 1
	}
	return 0
}
