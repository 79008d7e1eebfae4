package replay

import (
	"errors"

	"planner/hardware/unit"
)

// ErrStuck is returned for programs whose ranks wait for one another.
var ErrStuck = errors.New("replay: the pipeline ranks wait for one another")

// Simulate returns how long the step takes if one call of row i of Calls takes
// calls[i]: what replaying it would measure if calls did not disturb one
// another. Calls of a stream run in order, a hop when both of its ends are
// there, as ranks do.
func (p *Plan) Simulate(calls []unit.Seconds) (unit.Seconds, error) {
	s := simulation{plan: p, calls: calls, slots: make([]*flight, p.slots), hops: map[hopKey]*[2][]*flight{}}
	for i := range p.Stages {
		s.ranks = append(s.ranks, simulated{stage: i})
	}
	for moved := true; moved; {
		moved = false
		for i := range s.ranks {
			moved = s.run(&s.ranks[i]) || moved
		}
	}
	step := 0.0
	for i := range s.ranks {
		if s.ranks[i].at < len(p.Stages[i]) {
			return 0, ErrStuck
		}
		step = max(step, s.ranks[i].now)
	}
	return unit.Seconds(step), nil
}

// simulation is the state of all pipeline ranks: those of one do the same.
type simulation struct {
	plan  *Plan
	calls []unit.Seconds
	ranks []simulated
	slots []*flight
	hops  map[hopKey]*[2][]*flight // sends and receives, in order
}

// simulated is one pipeline rank: its next action, and its time.
type simulated struct {
	stage, at int
	now       float64
	last      [NumStreams]*flight
}

type hopKey struct{ from, to, dir int32 }

// flight is one call: it begins when it was issued, the one before it in its
// stream has ended and, of a hop, the other end is there.
type flight struct {
	issued, takes, end float64
	before, peer       *flight
	hop, done, asked   bool
}

// run advances a rank until it must wait for another.
func (s *simulation) run(r *simulated) bool {
	program, from := s.plan.Stages[r.stage], r.at
	for ; r.at < len(program); r.at++ {
		a := &program[r.at]
		switch a.Kind {
		case Delay:
			r.now += a.Seconds
		case Start:
			s.start(r, a)
		case Wait:
			f := s.slots[a.Slot]
			if !f.settle() {
				return r.at > from
			}
			r.now = max(r.now, f.end)
		}
	}
	return r.at > from
}

func (s *simulation) start(r *simulated, a *Action) {
	c := SpecOf(&s.plan.Calls[a.Row])
	on := &r.last[StreamOf(&c, a)]
	f := &flight{issued: r.now, takes: float64(s.calls[a.Row]), before: *on, hop: a.Peer >= 0}
	*on, s.slots[a.Slot] = f, f
	if !f.hop {
		return
	}
	side, key := 0, hopKey{int32(r.stage), a.Peer, int32(a.Dir)}
	if isReceive(&c) {
		side, key = 1, hopKey{a.Peer, int32(r.stage), int32(a.Dir)}
	}
	both := s.hops[key]
	if both == nil {
		both = new([2][]*flight)
		s.hops[key] = both
	}
	i := len(both[side])
	both[side] = append(both[side], f)
	if other := both[1-side]; i < len(other) {
		f.peer, other[i].peer = other[i], f
	}
}

// ready returns when the call could begin for what its own rank does; ok is
// false while that is not known.
func (f *flight) ready() (at float64, ok bool) {
	if f.before == nil {
		return f.issued, true
	}
	if !f.before.settle() {
		return 0, false
	}
	return max(f.issued, f.before.end), true
}

// settle works out when the call ends, if that is known.
func (f *flight) settle() bool {
	if f.done || f.asked {
		return f.done
	}
	f.asked = true // a circle of waits does not settle
	defer func() { f.asked = false }()
	begin, ok := f.ready()
	if !ok {
		return false
	}
	if f.hop {
		if f.peer == nil {
			return false
		}
		other, ok := f.peer.ready()
		if !ok {
			return false
		}
		begin = max(begin, other)
		f.peer.end, f.peer.done, f.peer.before = begin+f.takes, true, nil
	}
	f.end, f.done, f.before = begin+f.takes, true, nil
	return true
}
