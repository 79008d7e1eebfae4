package replay

import (
	"errors"
	"runtime"
	"time"

	"planner/costmodel/collective"
	"planner/verify/transport"
)

// event is one call as one rank saw it, times since the step began.
type event struct {
	group      uint64
	seq, row   int32
	begin, end time.Duration
}

// member is one rank's end of a plan.
type member struct {
	plan   *Plan
	tag    uint64 // of the plan in its job
	world  transport.World
	stage  int
	groups map[uint64]*group
	meet   *meetings
	failed <-chan struct{}
	begin  time.Time
	late   time.Duration // by which the last delay overslept
}

// newMember opens the groups of the calls that a rank makes.
func (j *Job) newMember(w transport.World, plan *Plan, tag uint64) (*member, error) {
	m := &member{plan: plan, tag: tag, world: w, stage: w.Rank() / plan.Inner(), groups: map[uint64]*group{}, meet: &j.meet, failed: j.failed}
	for i := range plan.Stages[m.stage] {
		a := &plan.Stages[m.stage][i]
		if a.kind != actStart {
			continue
		}
		if _, err := m.open(a); err != nil {
			return nil, errors.Join(err, m.close())
		}
	}
	return m, nil
}

func (m *member) close() error {
	var err error
	for _, g := range m.groups {
		err = errors.Join(err, g.close())
	}
	return err
}

// Streams of a rank: one for each axis, and one for each direction of hops and
// side of them, so that a hop never waits for one that goes elsewhere.
const (
	streamHops = int(collective.NumAxes)
	numStreams = streamHops + 4
)

func (m *member) stream(a *action) int {
	c := &m.plan.Calls[a.row]
	if a.peer < 0 {
		return int(c.Axis)
	}
	s := streamHops + 2*int(a.dir)
	if c.Op == collective.Recv {
		s++
	}
	return s
}

// open returns the group of a call, with buffers.
func (m *member) open(a *action) (*group, error) {
	c := &m.plan.Calls[a.row]
	tag, members := m.members(a)
	key := hash(tag, members)
	g := m.groups[key]
	if g == nil {
		var err error
		if g, err = openGroup(m.world, tag, members, a.peer < 0 && c.Op == collective.Send); err != nil {
			return nil, err
		}
		m.groups[key] = g
	}
	return g, g.reserve(m.world, bufferBytes(c, len(g.rings)))
}

// members returns the ranks of the group of a call, and what tells the group
// apart from others of the same ranks.
func (m *member) members(a *action) (uint64, []int) {
	c := &m.plan.Calls[a.row]
	me := m.world.Rank()
	if a.peer >= 0 {
		other := me + (int(a.peer)-m.stage)*m.plan.Inner()
		tag := m.tag*64 + uint64(streamHops) + uint64(a.dir)
		if c.Op == collective.Recv {
			return tag, []int{other, me}
		}
		return tag, []int{me, other}
	}
	stride, size := c.Span.Stride, c.Span.Size
	base := me - me/stride%size*stride
	out := make([]int, size)
	for i := range out {
		out[i] = base + i*stride
	}
	tag := m.tag*64 + uint64(c.Axis)
	if c.Op == collective.Send {
		tag += 32 // a shift: its communicators are its own
	}
	return tag, out
}

// job is a call on its way through a stream.
type job struct {
	a     *action
	group *group
	done  chan struct{}
}

// step runs the program once, from begin on, and returns what its calls took
// and when it ended.
func (m *member) step(begin time.Time) ([]event, time.Duration, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	m.begin, m.late = begin, 0
	var streams [numStreams]*stream
	slots := make([]chan struct{}, m.plan.slots)
	program := m.plan.Stages[m.stage]
	var fault error
	for i := range program {
		a := &program[i]
		switch a.kind {
		case actDelay:
			m.delay(time.Duration(float64(a.dur) * 1e9))
		case actWait:
			<-slots[a.slot]
		case actStart:
			s := m.stream(a)
			if streams[s] == nil {
				streams[s] = m.serve()
			}
			slots[a.slot] = make(chan struct{})
			g, err := m.open(a)
			if err != nil {
				fault = err
				close(slots[a.slot])
				continue
			}
			streams[s].queue <- job{a, g, slots[a.slot]}
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
			m.rendezvous(&j)
			e := event{group: j.group.id, seq: int32(j.group.calls), row: j.a.row, begin: time.Since(m.begin)}
			if s.err == nil {
				s.err = j.group.do(&m.plan.Calls[j.a.row], peerOf(&m.plan.Calls[j.a.row]))
			}
			e.end = time.Since(m.begin)
			s.events = append(s.events, e)
			close(j.done)
		}
	}()
	return s
}

// rendezvous holds a hop back until both of its ends are there.
func (m *member) rendezvous(j *job) {
	if j.a.peer < 0 {
		return
	}
	x := meeting{j.group.id, j.group.calls}
	if m.plan.Calls[j.a.row].Op == collective.Recv {
		m.meet.arrive(x)
		return
	}
	m.meet.await(x, m.failed)
}

// peerOf returns the other end of a hop: its group has the sender first.
func peerOf(c *collective.Call) int {
	if c.Op == collective.Send {
		return 1
	}
	return 0
}
