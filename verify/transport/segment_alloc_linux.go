package transport

import (
	"fmt"
	"slices"

	"golang.org/x/sys/unix"
)

// Alloc returns zeroed memory of the segment. The pages are taken at once, so
// that a full file system is an error here and not a fault later.
func (s *Segment) Alloc(n int) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	off, err := s.take(uint64(max(n, 1)))
	if err != nil {
		return nil, err
	}
	return s.mem[off : off+uint64(n) : off+uint64(n)], nil
}

func (s *Segment) take(n uint64) (uint64, error) {
	n = roundUp(n)
	for i, f := range s.free {
		if f.size < n {
			continue
		}
		if err := unix.Fallocate(s.fd, 0, int64(f.off), int64(n)); err != nil {
			_ = unix.Fallocate(s.fd, unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, int64(f.off), int64(n))
			return 0, fmt.Errorf("shared memory: no room for %d bytes: %w", n, err)
		}
		if s.free[i] = (span{f.off + n, f.size - n}); f.size == n {
			s.free = slices.Delete(s.free, i, i+1)
		}
		s.used[f.off] = n
		return f.off, nil
	}
	return 0, fmt.Errorf("shared memory: no room for %d bytes in a segment of %d GiB", n, len(s.mem)>>30)
}

// Free gives memory back to the system. It ignores what is not the segment's.
func (s *Segment) Free(b []byte) {
	if off, ok := s.offset(b); ok {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.put(off)
	}
}

func (s *Segment) put(off uint64) {
	n, ok := s.used[off]
	if !ok {
		return
	}
	delete(s.used, off)
	_ = unix.Fallocate(s.fd, unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, int64(off), int64(n))
	i, _ := slices.BinarySearchFunc(s.free, off, func(f span, off uint64) int {
		return int(int64(f.off) - int64(off))
	})
	s.free = slices.Insert(s.free, i, span{off, n})
	if i+1 < len(s.free) && off+n == s.free[i+1].off {
		s.free[i].size += s.free[i+1].size
		s.free = slices.Delete(s.free, i+1, i+2)
	}
	if i > 0 && s.free[i-1].off+s.free[i-1].size == off {
		s.free[i-1].size += s.free[i].size
		s.free = slices.Delete(s.free, i, i+1)
	}
}

// place finds data in the segment, or copies them there.
func (s *Segment) place(l *memLink, data []byte) (uint64, bool, error) {
	if off, ok := s.offset(data); ok {
		return off, true, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	t, err := s.room(uint64(len(data)))
	if err != nil {
		return 0, false, err
	}
	copy(s.mem[t.off:], data)
	t.link, t.seq = l, l.sent+1
	return t.off, false, nil
}

// room returns a span that no receiver reads any more, or a new one. Spans
// that are too small go back to the system.
func (s *Segment) room(n uint64) (*tempSpan, error) {
	best := -1
	for i := 0; i < len(s.temp); i++ {
		t := &s.temp[i]
		if int32(t.link.finished()-t.seq) < 0 {
			continue
		}
		if t.size >= n && t.size <= 4*roundUp(n) {
			best = i
			break
		}
		s.put(t.off)
		s.temp = slices.Delete(s.temp, i, i+1)
		i--
	}
	if best >= 0 {
		return &s.temp[best], nil
	}
	off, err := s.take(n)
	if err != nil {
		return nil, err
	}
	s.temp = append(s.temp, tempSpan{span: span{off, roundUp(n)}})
	return &s.temp[len(s.temp)-1], nil
}
