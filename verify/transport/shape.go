package transport

import (
	"fmt"

	"planner/hardware/unit"
)

// Link is one emulated link, one direction.
type Link struct {
	Bandwidth unit.BytesPerSecond // 0: as fast as the machine
	Delay     unit.Seconds        // from the last byte sent to the message seen
}

// Shape is a topology to emulate on one machine: Nodes × PerNode ranks, ranks
// of a node adjacent. Every rank has a port of Intra's bandwidth into its
// node; the ranks of a node share NICsPerNode ports of Inter's bandwidth, rank
// l of a node using NIC l·NICsPerNode/PerNode. A port carries one message at a
// time in each direction, so that a fan-in is as slow as the receiver's port.
type Shape struct {
	Nodes, PerNode int
	Intra, Inter   Link
	NICsPerNode    int // 0: one per rank
}

// Ranks returns the size of the job that the shape is for.
func (s *Shape) Ranks() int { return s.Nodes * s.PerNode }

// Validate reports what is wrong with a shape for a job of the given size.
func (s *Shape) Validate(ranks int) error {
	switch {
	case s.Nodes < 1 || s.PerNode < 1:
		return fmt.Errorf("shape %dx%d: too small: want at least 1x1", s.Nodes, s.PerNode)
	case s.Ranks() != ranks:
		return fmt.Errorf("shape %dx%d: has %d ranks: want the job's %d", s.Nodes, s.PerNode, s.Ranks(), ranks)
	case s.NICsPerNode < 0 || s.NICsPerNode > s.PerNode:
		return fmt.Errorf("nics=%d: out of range: want 1 to %d, the ranks of a node", s.NICsPerNode, s.PerNode)
	case s.Intra.Bandwidth < 0 || s.Inter.Bandwidth < 0 || s.Intra.Delay < 0 || s.Inter.Delay < 0:
		return fmt.Errorf("shape %v: negative rate or delay: want 0 or more", s)
	case s.portCount() > maxPorts:
		return fmt.Errorf("shape %dx%d: has %d emulated ports: want at most %d", s.Nodes, s.PerNode, s.portCount(), maxPorts)
	}
	return nil
}

// nics returns NICs per node with the default applied.
func (s *Shape) nics() int {
	if s.NICsPerNode > 0 {
		return s.NICsPerNode
	}
	return s.PerNode
}

// node returns the node of a rank; all are on node 0 without a shape.
func (s *Shape) node(rank int) int {
	if s == nil {
		return 0
	}
	return rank / s.PerNode
}

// slows reports whether the shape makes any link slower than the machine's.
func (s *Shape) slows() bool {
	return s != nil && (s.Intra != Link{} || s.Inter != Link{})
}

// shaper holds the emulated ports of a job.
type shaper struct {
	*Shape
	ports *ports
}

// path is what a message from one rank to another goes through.
type path struct {
	ports           *ports
	egress, ingress int
	perByte         float64 // ns
	delay           int64   // ns
}

// path returns the way between two ranks; nil when nothing shapes it.
func (s *shaper) path(from, to int) *path {
	if s == nil || from == to {
		return nil
	}
	link, a, b := s.Intra, from, to
	if s.node(from) != s.node(to) {
		link, a, b = s.Inter, s.nic(from), s.nic(to)
	}
	if link == (Link{}) {
		return nil
	}
	p := &path{ports: s.ports, egress: 2 * a, ingress: 2*b + 1, delay: int64(float64(link.Delay) * 1e9)}
	if link.Bandwidth > 0 {
		p.perByte = 1e9 / float64(link.Bandwidth)
	}
	return p
}

// nic returns the port of the NIC that a rank uses.
func (s *shaper) nic(rank int) int {
	local := rank % s.PerNode
	return s.Ranks() + s.node(rank)*s.nics() + local*s.nics()/s.PerNode
}

// portCount is how many one-way ports a shape has: two for each rank's link
// into its node, two for each NIC.
func (s *Shape) portCount() int { return 2 * (s.Ranks() + s.Nodes*s.nics()) }

// quantum is how much of a link's time a message takes at once, in ns: messages
// that meet on a port then share it evenly, as packets do, and short against
// wake-ups it is not.
const quantum = int64(2e6)

// span returns how long size bytes take, and how much of that is booked when
// they are sent.
func (p *path) span(size int) (whole, first int64) {
	whole = int64(float64(size)*p.perByte + 0.5)
	return whole, min(whole, quantum)
}

// reserve books the beginning of size bytes from time t on and returns when it
// has arrived. The receiver books the rest as it comes: see follow.
func (p *path) reserve(t int64, size int) int64 {
	_, first := p.span(size)
	if first == 0 {
		return t + p.delay
	}
	return p.ports.book(p.egress, p.ingress, t, first) + p.delay
}

// back is the way from the other end.
func (p *path) back() *path {
	b := *p
	b.egress, b.ingress = p.ingress-1, p.egress+1
	return &b
}

// follow books the rest of a message whose beginning arrives at ready, quantum by
// quantum, each when the one before has passed, and returns when all of it has
// arrived. A receiver that comes late finds the times that nobody else took.
func (p *path) follow(ready int64, size int, sleep func(until int64) error) (int64, error) {
	whole, first := p.span(size)
	at := ready - p.delay
	for rest := whole - first; rest > 0; {
		if err := sleep(at); err != nil {
			return 0, err
		}
		d := min(rest, quantum)
		at = p.ports.book(p.egress, p.ingress, at, d)
		rest -= d
	}
	return at + p.delay, nil
}
