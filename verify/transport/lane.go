package transport

import (
	"sync/atomic"
	"unsafe"
)

const (
	// slots is how many messages a sender may be ahead of a receiver.
	slots = 8
	// InlineMax is the largest message that travels inside its slot of shared
	// memory. Up to here a copy costs less than the receiver's acknowledgement
	// that a direct read needs (measured with BenchmarkMessage, 2-core AMD
	// EPYC, 2026-11).
	InlineMax = 4096
)

// slotHead is the first line of a slot; seq is stored last, so that a receiver
// that sees it sees the rest.
type slotHead struct {
	seq    atomic.Uint32
	inline uint32
	header Header
	size   uint64
	addr   uint64 // offset in the sender's segment, when not inline
	ready  int64  // when a shaped link delivers, monotonic ns; 0 at once
	_      [8]byte
}

// slot is one message in shared memory.
type slot struct {
	slotHead
	data [InlineMax]byte
}

// laneMem is one direction between two ranks, in memory that both see.
type laneMem struct {
	done atomic.Uint32 // messages that the receiver has finished with
	_    [124]byte     // processors fetch lines in pairs
	slot [slots]slot
}

// placer finds or makes room for data where the peer can read them.
type placer interface {
	// place returns the offset of data in the segment. They are held if they
	// lie there already, and copied otherwise.
	place(l *memLink, data []byte) (offset uint64, held bool, err error)
	// offset returns where data lie in the segment, if they do.
	offset(data []byte) (uint64, bool)
}

// memLink is a rank's link to a member with whom it shares memory.
type memLink struct {
	out, in   *laneMem
	sent, got uint32
	freed     uint32         // of sent, as last seen: the peer writes that line
	likely    int            // bytes that the next message will bring in its slot
	outViews  *[slots][]byte // same process: where each message lies
	inViews   *[slots][]byte
	segment   placer // where this rank sends from; nil in one process
	peerBase  []byte // the peer's segment as mapped here; nil in one process
	peer      parker
	path      *path // shaping; nil when the link is not shaped
}

func (l *memLink) finished() uint32 { return l.out.done.Load() }

func (l *memLink) room() bool {
	if l.sent-l.freed == slots {
		l.freed = l.out.done.Load()
	}
	return l.sent-l.freed < slots
}

// arrived reports whether the next message has been posted.
func (l *memLink) arrived() bool {
	return l.in.slot[l.got%slots].seq.Load() == l.got+1
}

// send posts data, after waiting for a free slot. The data go before the
// header, at whose line the receiver may be looking all the time.
func (l *memLink) send(p *Port, peer int, h *Header, data []byte) (seq uint32, held bool, err error) {
	s, err := l.vacant(p, peer)
	if err != nil {
		return 0, false, err
	}
	inline, addr := uint32(0), uint64(0)
	switch {
	case len(data) <= InlineMax:
		inline = 1
		copy(s.data[:], data)
	case l.outViews != nil:
		held = true
		l.outViews[l.sent%slots] = data
	default:
		if addr, held, err = l.segment.place(l, data); err != nil {
			return 0, false, p.Fail(peer, err.Error())
		}
	}
	s.inline, s.addr, s.ready = inline, addr, 0
	if l.path != nil {
		s.ready = l.path.reserve(p.clock(), len(data))
	}
	return l.post(s, h, len(data)), held, nil
}

// vacant waits for a free slot.
func (l *memLink) vacant(p *Port, peer int) (*slot, error) {
	if !l.room() {
		if err := p.await(peer, "it takes no messages", l.room); err != nil {
			return nil, err
		}
	}
	return &l.out.slot[l.sent%slots], nil
}

// post shows the message to the receiver. The next message will need the lines
// of its slot, which the receiver has: they are sent for now, since they take
// a way to its core and back. That saves up to a fifth of the time of a message
// of 1 KiB, and all lines are asked for: a part of them is slower than none
// (measured with BenchmarkMessage, 2-core AMD EPYC, 2026-11).
func (l *memLink) post(s *slot, h *Header, size int) (seq uint32) {
	s.header, s.size = *h, uint64(size)
	l.sent++
	s.seq.Store(l.sent)
	l.peer.wake()
	switch {
	case s.inline == 0:
		l.likely = 0
	case size > 0:
		l.likely = size
	}
	own(unsafe.Pointer(&l.out.slot[l.sent%slots]), 1+(l.likely+63)/64)
	return l.sent
}

// recv waits for the next message, checks it and merges it straight from where
// the sender has it.
func (l *memLink) recv(p *Port, peer int, want *Header, dst, src []byte, merge Merge) error {
	entered := p.entered(l.path != nil)
	s, err := l.next(p, peer, want, len(dst))
	if err != nil {
		return err
	}
	if s.ready != 0 && l.path != nil {
		if err := p.deliver(peer, entered, s.ready, l.path, int(s.size)); err != nil {
			return err
		}
	}
	apply(dst, src, l.view(s), merge)
	if s.inline == 0 {
		if err := p.intact(peer); err != nil {
			return err
		}
	}
	l.got++
	l.in.done.Store(l.got)
	l.peer.wake()
	return nil
}

// next waits for the next message and checks its header.
func (l *memLink) next(p *Port, peer int, want *Header, size int) (*slot, error) {
	if !l.arrived() {
		if err := p.await(peer, "nothing came from it", l.arrived); err != nil {
			return nil, err
		}
	}
	s := &l.in.slot[l.got%slots]
	return s, p.check(peer, want, &s.header, int(s.size), size)
}

// view is the message's data where the sender has them. The caller has
// checked the size; the offset is clamped to the segment.
func (l *memLink) view(s *slot) []byte {
	switch {
	case s.inline == 1:
		return s.data[:s.size]
	case l.inViews != nil:
		return l.inViews[l.got%slots]
	}
	return l.peerBase[s.addr : s.addr+s.size]
}

func (l *memLink) close() error { return nil }

// apply writes a message to dst: src op message, or the message alone without
// a merge.
func apply(dst, src, message []byte, merge Merge) {
	switch {
	case len(dst) == 0:
	case merge == nil:
		copy(dst, message)
	default:
		merge(dst, src, message)
	}
}

// Overlap reports whether two slices share memory.
func Overlap(a, b []byte) bool {
	if len(a) == 0 || len(b) == 0 {
		return false
	}
	x, y := uintptr(unsafe.Pointer(&a[0])), uintptr(unsafe.Pointer(&b[0]))
	return x < y+uintptr(len(b)) && y < x+uintptr(len(a))
}
