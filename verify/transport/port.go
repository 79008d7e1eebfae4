package transport

import "time"

// link joins a rank to one member of its group.
type link interface {
	// send posts data. When held, the receiver reads from data until
	// finished reaches seq.
	send(p *Port, peer int, h *Header, data []byte) (seq uint32, held bool, err error)
	// recv waits for the next message and writes src op message to dst.
	recv(p *Port, peer int, want *Header, dst, src []byte, merge Merge) error
	finished() uint32
	close() error
}

// heldSend is a send whose data are still being read.
type heldSend struct {
	link link
	peer int
	seq  uint32
	data []byte
}

// Port is one rank's end of a group. It serves one goroutine at a time.
type Port struct {
	rank    int
	members []int // world rank of each member
	links   []link
	park    parker
	bells   []*bell // members that share memory with this rank, itself included
	abort   *Abort
	spin    int    // polls before sleeping
	yield   func() // gives the core to a rank that shares it
	timeout time.Duration
	held    []heldSend
	onStall func(History)
	stopped func() string // says which ranks are stopped, if any
	release func()

	call     Header // the call in progress
	aside    string // what the rank does outside of calls
	calls    uint32
	recent   recent
	step     int
	steps    int
	deadline int64 // monotonic ns; 0 until due sets it
	late     int64 // ns by which this rank runs behind the emulated machine
}

// Rank returns this rank's place in the group.
func (p *Port) Rank() int { return p.rank }

// Size returns the number of members.
func (p *Port) Size() int { return len(p.members) }

// World returns the world rank of a member.
func (p *Port) World(member int) int { return p.members[member] }

// Open reports whether this rank shares memory with every member and nothing
// shapes their links, so that members may work in one another's buffers.
func (p *Port) Open() bool {
	for i, l := range p.links {
		if m, ok := l.(*memLink); i != p.rank && (!ok || m.path != nil) {
			return false
		}
	}
	return true
}

// Direct reports whether this rank shares memory with every member.
func (p *Port) Direct() bool {
	for i, b := range p.bells {
		if b == nil && i != p.rank {
			return false
		}
	}
	return true
}

// Begin starts a collective of the given number of steps: it numbers the call
// and tells the other ranks what it is.
func (p *Port) Begin(what Signature, steps int) error {
	p.calls++
	p.recent[p.calls%recalled] = what
	p.start(Header{Call: p.calls, What: what}, steps)
	if b := p.bells[p.rank]; b != nil {
		b.begin(p.calls, what)
	}
	return p.ended()
}

// BeginPair starts one message between two members. It takes no part in the
// numbering of collectives, which every member counts.
func (p *Port) BeginPair(what Signature) error {
	p.start(Header{What: what}, 1)
	return p.ended()
}

func (p *Port) start(h Header, steps int) {
	p.call, p.step, p.steps, p.aside = h, 0, steps, ""
	p.deadline, p.late = 0, 0
}

// startAside begins something that is no call, by the name that failures give
// it.
func (p *Port) startAside(name string) {
	p.start(Header{}, 0)
	p.aside = name
}

// Step says which step of the program runs, from 0, for messages.
func (p *Port) Step(i int) { p.step = i + 1; p.call.Step = uint32(i) }

// Send posts data to a member. Until Settle or Flush says otherwise, data may
// still be read.
func (p *Port) Send(peer int, data []byte) error {
	l := p.links[peer]
	seq, held, err := l.send(p, peer, &p.call, data)
	if err == nil && held {
		p.held = append(p.held, heldSend{l, peer, seq, data})
	}
	return err
}

// Recv waits for the next message of a member and writes src op message to
// dst, or the message alone if merge is nil.
func (p *Port) Recv(peer int, dst, src []byte, merge Merge) error {
	return p.links[peer].recv(p, peer, &p.call, dst, src, merge)
}

// Settle waits until no member reads from region any more.
func (p *Port) Settle(region []byte) error {
	for i := 0; i < len(p.held); i++ {
		if !Overlap(p.held[i].data, region) {
			continue
		}
		if err := p.settle(i); err != nil {
			return err
		}
		i--
	}
	return nil
}

// Flush waits until no member reads from this rank's buffers any more.
func (p *Port) Flush() error {
	for len(p.held) > 0 {
		if err := p.settle(len(p.held) - 1); err != nil {
			return err
		}
	}
	return nil
}

func (p *Port) settle(i int) error {
	s := p.held[i]
	done := func() bool { return int32(s.link.finished()-s.seq) >= 0 }
	if !done() {
		if err := p.await(s.peer, "it does not take what was sent", done); err != nil {
			return err
		}
	}
	last := len(p.held) - 1
	p.held[i] = p.held[last]
	p.held[last] = heldSend{}
	p.held = p.held[:last]
	return nil
}

// Close gives back the port's links. Every member must have finished its last
// call, or the job failed.
func (p *Port) Close() error {
	p.abort.Told()
	var first error
	for _, l := range p.links {
		if l == nil {
			continue
		}
		if err := l.close(); err != nil && first == nil {
			first = err
		}
	}
	if p.release != nil {
		p.release()
		p.release = nil
	}
	return first
}
