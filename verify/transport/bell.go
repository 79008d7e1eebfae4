package transport

import "sync/atomic"

// bell is where one rank of a group sleeps, with the call that it last began;
// ranks that share memory read one another's.
type bell struct {
	word   atomic.Uint32
	asleep atomic.Uint32
	_      [56]byte
	call   atomic.Uint32 // 0 while what changes
	broken atomic.Uint32 // 1 once the rank has given up a call
	what   [2]atomic.Uint64
	_      [40]byte
}

func (s Signature) pack() [2]uint64 {
	return [2]uint64{
		uint64(s.Op) | uint64(s.DType)<<8 | uint64(s.RedOp)<<16 | uint64(s.Algorithm)<<24 |
			uint64(uint32(s.Root))<<32, s.Count,
	}
}

func unpack(w [2]uint64) Signature {
	return Signature{uint8(w[0]), uint8(w[0] >> 8), uint8(w[0] >> 16), uint8(w[0] >> 24),
		int32(w[0] >> 32), w[1]}
}

// A rank whose call fails gives its buffers back while others may still read
// them. It says so first, and who has read asks afterwards: as in a seqlock
// (Boehm, Can seqlocks get along with programming language memory models?,
// 2012), what was read before the rank gave up is whole. Both sides write, so
// that weakly ordered processors keep the order.

// giveUp says that the rank's buffers may change from now on.
func (b *bell) giveUp() { b.broken.Swap(1) }

// intact reports whether what was read of the rank's buffers so far is whole.
func (b *bell) intact() bool { return b.broken.CompareAndSwap(0, 0) }

// begin publishes the call that the rank enters.
func (b *bell) begin(call uint32, s Signature) {
	w := s.pack()
	b.call.Store(0)
	b.what[0].Store(w[0])
	b.what[1].Store(w[1])
	b.call.Store(call)
}

// during returns what the rank does, or did, in a call; false if it is not
// known to have begun it, or is past it.
func (b *bell) during(call uint32) (Signature, bool) {
	if b.call.Load() != call {
		return Signature{}, false
	}
	w := [2]uint64{b.what[0].Load(), b.what[1].Load()}
	return unpack(w), b.call.Load() == call
}
