package replay

import (
	"cmp"
	"errors"
	"runtime"
	"slices"
	"time"

	"planner/verify/engine"
	"planner/verify/reduce"
	"planner/verify/transport"
)

// commandKind is what all ranks do at once.
type commandKind uint8

const (
	cmdLoad     commandKind = iota // open the groups of the work
	cmdStep                        // replay program Index
	cmdSample                      // make sample Index
	cmdSentinel                    // time a fixed call of all ranks
	cmdExchange                    // bursts between pairs
	cmdEnd                         // leave
)

// command is one thing that all ranks of a back end do together.
type command struct {
	Kind         commandKind
	Index        int
	Work         *Work
	Pairs        [][2]int
	Bytes, Turns int
	Tag          uint64
}

// reply is what a rank found.
type reply struct {
	Events []event
	End    time.Duration // since the command began
}

// event is one call as one rank saw it, times since the command began.
type event struct {
	Group      uint64
	Seq, Row   int32
	Begin, End time.Duration
}

// seat is one rank: it does what it is told.
type seat struct {
	world  transport.World
	work   *Work
	groups map[uint64]*group
	whole  *engine.Comm
	meet   meetings
	failed chan struct{} // closes when the job fails
}

func newSeat(w transport.World, m meetings) (*seat, error) {
	c, err := engine.New(w)
	s := &seat{world: w, whole: c, groups: map[uint64]*group{}, meet: m, failed: make(chan struct{})}
	w.Abort().OnFail(func(*transport.Failure) { close(s.failed) })
	return s, err
}

func (s *seat) close() error {
	err := s.unload()
	if s.whole != nil {
		err = errors.Join(err, s.whole.Close())
	}
	return err
}

// do carries out a command that begins at a time.
func (s *seat) do(c *command, begin time.Time) (*reply, error) {
	switch c.Kind {
	case cmdLoad:
		return &reply{}, s.load(c.Work)
	case cmdStep:
		p := s.work.Programs[c.Index]
		m := &member{seat: s, program: p, stage: s.world.Rank() / p.Inner}
		await(begin)
		events, end, err := m.step(begin)
		return &reply{events, end}, err
	case cmdSample:
		return s.sample(&s.work.Samples[c.Index], begin)
	case cmdSentinel:
		return &reply{}, s.sentinel()
	case cmdExchange:
		return s.exchange(c, begin)
	}
	return &reply{}, nil
}

// await returns at a time, closer than Go's timers do.
func await(at time.Time) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for left := time.Until(at); left > 0; left = time.Until(at) {
		nap(left)
	}
}

// wanted is a group to be opened, with the bytes that its buffers need.
type wanted struct {
	tag     uint64
	members []int
	shift   bool
	hop     bool
	bytes   func(rings int) int
}

func (w *wanted) id() uint64 { return hash(w.tag, w.members) }

// load opens the groups that the work needs of this rank, each once, in an
// order on which all ranks agree: a rank waits in one for the others.
func (s *seat) load(w *Work) error {
	if err := s.unload(); err != nil {
		return err
	}
	s.work = w
	var list []wanted
	for _, p := range w.Programs {
		m := &member{seat: s, program: p, stage: s.world.Rank() / p.Inner}
		list = append(list, m.wants()...)
	}
	for i := range w.Samples {
		if g := w.Samples[i].groupOf(s.world.Rank()); g != nil {
			list = append(list, w.Samples[i].wants(g))
		}
	}
	slices.SortStableFunc(list, func(a, b wanted) int { return cmp.Compare(a.id(), b.id()) })
	for i := range list {
		if err := s.open(&list[i]); err != nil {
			return err
		}
	}
	return nil
}

// open opens a group, or gives it larger buffers.
func (s *seat) open(w *wanted) error {
	g := s.groups[w.id()]
	if g == nil {
		var err error
		if g, err = openGroup(s.world, w.tag, w.members, w.shift); err != nil {
			return err
		}
		if _, far := s.meet.(wireMeetings); far && w.hop {
			if g.bell, err = transport.OpenBare(s.world, hash(g.id, w.members), w.members); err != nil {
				return err
			}
		}
		s.groups[w.id()] = g
	}
	return g.reserve(s.world, w.bytes(len(g.rings)))
}

// unload leaves the groups of the last work, in the order of load.
func (s *seat) unload() error {
	var list []*group
	for _, g := range s.groups {
		list = append(list, g)
	}
	slices.SortFunc(list, func(a, b *group) int { return cmp.Compare(a.id, b.id) })
	var err error
	for _, g := range list {
		err = errors.Join(err, g.close(s.world))
	}
	s.groups = map[uint64]*group{}
	return err
}

// sentinelBytes is the message of the sentinel: its time is that of bytes and
// of wake-ups alike on links of some 40 MB/s.
const sentinelBytes = 64 << 10

// sentinel makes one fixed call of all ranks, a few times.
func (s *seat) sentinel() error {
	in, out := make([]byte, sentinelBytes), make([]byte, sentinelBytes)
	for range 4 {
		if err := s.whole.AllReduce(out, in, sentinelBytes/4, reduce.F32, reduce.Sum); err != nil {
			return err
		}
	}
	return nil
}
