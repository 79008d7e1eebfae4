package transport

import "sync/atomic"

// bell is where one rank of a group sleeps, with the call that it last began;
// ranks that share memory read one another's.
type bell struct {
	word   atomic.Uint32
	asleep atomic.Uint32
	_      [56]byte
	call   atomic.Uint32 // 0 while what changes
	_      [4]byte
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
