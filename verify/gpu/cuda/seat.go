package cuda

// Seat is one rank of a group as other libraries use it: its GPU, stream and
// memory.
type Seat struct {
	g    *Group
	rank int
}

// Seat returns a rank's seat.
func (g *Group) Seat(rank int) *Seat { return &Seat{g, rank} }

// Use makes the rank's GPU the calling thread's, which must be locked.
func (s *Seat) Use() error {
	return s.g.d.check(s.g.d.setCurrent(s.g.ranks[s.rank].ctx), "cuCtxSetCurrent")
}

// Stream returns the driver's handle of the rank's stream.
func (s *Seat) Stream() uintptr { return uintptr(s.g.ranks[s.rank].stream) }

// Idle reports whether everything on the stream is done.
func (s *Seat) Idle() (idle bool, err error) {
	err = s.within(func() error {
		r := s.g.d.streamQuery(s.g.ranks[s.rank].stream)
		if r == notReady {
			return nil
		}
		idle = true
		return s.g.d.check(r, "cuStreamQuery")
	})
	return idle || err != nil, err
}

// Begin and End mark the stream; Elapsed returns the seconds between, once
// both are passed.
func (s *Seat) Begin() error { return s.mark(s.g.ranks[s.rank].begin) }

// End marks the end.
func (s *Seat) End() error { return s.mark(s.g.ranks[s.rank].end) }

func (s *Seat) mark(e eventHandle) error {
	return s.within(func() error {
		return s.g.d.check(s.g.d.eventRecord(e, s.g.ranks[s.rank].stream), "cuEventRecord")
	})
}

// Elapsed returns the seconds between Begin and End on the GPU.
func (s *Seat) Elapsed() (seconds float64, err error) {
	r := s.g.ranks[s.rank]
	return s.Between(Mark(r.begin), Mark(r.end))
}

// Alloc, Free, Write and Read are the group's for this rank.
func (s *Seat) Alloc(n int) (uintptr, error) {
	p, err := s.g.Alloc(s.rank, n)
	return uintptr(p), err
}

// Free gives back what Alloc returned.
func (s *Seat) Free(p uintptr) error { return s.g.Free(s.rank, Pointer(p)) }

// Write copies b to the GPU.
func (s *Seat) Write(p uintptr, b []byte) error { return s.g.Write(s.rank, Pointer(p), b) }

// Read copies from the GPU into b.
func (s *Seat) Read(b []byte, p uintptr) error { return s.g.Read(s.rank, b, Pointer(p)) }
