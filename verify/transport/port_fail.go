package transport

import "fmt"

// Intact reports whether all that was read from the members' memory in this
// call is whole; otherwise it waits for the reason.
func (p *Port) Intact() error {
	for i, b := range p.bells {
		if b != nil && i != p.rank {
			if err := p.intact(i); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *Port) intact(peer int) error {
	if p.bells[peer].intact() {
		return nil
	}
	return p.await(peer, "it gave up the call, and nobody says why", func() bool { return false })
}

// check compares a message with the one expected.
func (p *Port) check(peer int, want, got *Header, size, wantSize int) error {
	if got.Call != want.Call || got.What != want.What {
		return p.Fail(peer, fmt.Sprintf("the ranks disagree: rank %d runs %s, rank %d %s",
			p.members[p.rank], describe(want), p.members[peer], describe(got)))
	}
	if size != wantSize {
		return p.Fail(peer, fmt.Sprintf("got a message of %d bytes, expected %d", size, wantSize))
	}
	return nil
}

func describe(h *Header) string {
	if h.Call == 0 {
		return Names(h.What)
	}
	return fmt.Sprintf("call %d, %s", h.Call, Names(h.What))
}

// Fail ends the job with a failure of the step in progress.
func (p *Port) Fail(peer int, cause string) error {
	_ = p.abort.Fail(p.failure(peer, cause))
	return p.ended()
}

// suspect ends the job with a failure of the step in progress that may be but
// a consequence of another.
func (p *Port) suspect(peer int, cause string) error {
	_ = p.abort.Suspect(p.failure(peer, cause))
	return p.ended()
}

func (p *Port) failure(peer int, cause string) *Failure {
	f := &Failure{Collective: p.doing(), Call: p.call.Call, Step: p.step,
		Steps: p.steps, Rank: p.members[p.rank], Peer: -1, Cause: cause}
	if peer >= 0 {
		f.Peer = p.members[peer]
	}
	return f
}

// ended returns the job's failure as this rank meets it: one that belongs to no
// call, such as the end of a process, with the step that it interrupts.
func (p *Port) ended() error {
	f := p.abort.failed.Load()
	if f == nil {
		return nil
	}
	if b := p.bells[p.rank]; b != nil {
		b.giveUp()
	}
	if f.Collective != "" || p.doing() == "" {
		return f
	}
	met := &Failure{Collective: p.doing(), Call: p.call.Call, Step: p.step, Steps: p.steps,
		Rank: p.members[p.rank], Peer: f.Rank, Cause: f.Cause}
	if met.Peer == met.Rank { // its own, such as Ctrl-C
		met.Peer = -1
	}
	return met
}

// timedOut ends the job because what was awaited did not happen. The peer may
// itself only wait for another rank, so stopped ones are named.
func (p *Port) timedOut(peer int, what string) error {
	cause := fmt.Sprintf("%s for %v", what, p.timeout)
	if p.stopped != nil {
		cause += p.stopped()
	}
	return p.Fail(peer, cause)
}

// doing names what the rank does, for failures; empty for nothing.
func (p *Port) doing() string {
	if p.aside != "" || p.steps == 0 && p.call.Call == 0 {
		return p.aside
	}
	return OpName(p.call.What)
}

// due returns the call's deadline, which counts from its first wait that is
// not over at once: most calls in shared memory never look at the clock.
func (p *Port) due() int64 {
	if p.deadline == 0 {
		p.deadline = now() + int64(p.timeout)
	}
	return p.deadline
}
