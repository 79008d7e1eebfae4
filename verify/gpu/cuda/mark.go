package cuda

// Mark is a point on a stream that other streams of the process can wait for,
// and between two of which time can be read.
type Mark uintptr

// NewMark returns a mark on the seat's GPU; FreeMark gives it back.
func (s *Seat) NewMark() (m Mark, err error) {
	err = s.within(func() error {
		var e eventHandle
		err := s.g.d.check(s.g.d.eventCreate(&e, 0), "cuEventCreate")
		m = Mark(e)
		return err
	})
	return m, err
}

// FreeMark gives a mark back.
func (s *Seat) FreeMark(m Mark) error {
	return s.within(func() error { return s.g.d.check(s.g.d.eventDestroy(eventHandle(m)), "cuEventDestroy") })
}

// Record sets a mark of the seat's GPU behind all that is on the stream.
func (s *Seat) Record(m Mark) error { return s.mark(eventHandle(m)) }

// Await makes the stream wait for a mark, of any GPU of the process, as it was
// last recorded.
func (s *Seat) Await(m Mark) error {
	return s.within(func() error {
		return s.g.d.check(s.g.d.streamWait(s.g.ranks[s.rank].stream, eventHandle(m), 0), "cuStreamWaitEvent")
	})
}

// Between returns the seconds from one mark of the seat's GPU to a later one,
// once both are passed.
func (s *Seat) Between(a, b Mark) (seconds float64, err error) {
	err = s.within(func() error {
		var ms float32
		err := s.g.d.check(s.g.d.eventElapsed(&ms, eventHandle(a), eventHandle(b)), "cuEventElapsedTime")
		seconds = float64(ms) / 1e3
		return err
	})
	return seconds, err
}

// within runs f on a thread that has the seat's GPU.
func (s *Seat) within(f func() error) error {
	return s.g.on(func() error {
		if err := s.g.enter(s.g.ranks[s.rank].gpu); err != nil {
			return err
		}
		return f()
	})
}
