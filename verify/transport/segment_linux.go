package transport

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	// reserve is the address range of a segment. Its file is sparse, so only
	// what is allocated takes memory.
	reserve = 64 << 30
	// groupSlots is how many groups a rank may have open at once.
	groupSlots = 2048
	page       = 4096
)

// segmentHeader lies at the start of a segment.
type segmentHeader struct {
	groups [groupSlots]groupEntry
	ports  ports // emulated; rank 0's serve the job
}

// Segment is the memory of one rank that the other ranks of its host map. Its
// file has no name, so nothing can stay behind.
type Segment struct {
	fd   int
	mem  []byte
	mu   sync.Mutex
	free []span // sorted, not adjacent
	used map[uint64]uint64
	temp []tempSpan
}

type span struct{ off, size uint64 }

// tempSpan is room that a message was copied to.
type tempSpan struct {
	span
	link *memLink
	seq  uint32
}

// NewSegment makes a segment: anonymous memory, or an unnamed file in dir.
func NewSegment(dir string) (*Segment, error) {
	fd, err := segmentFile(dir)
	if err != nil {
		return nil, err
	}
	size := reserve
	if err = unix.Ftruncate(fd, int64(size)); err == nil {
		var mem []byte
		if mem, err = mapSegment(fd); err == nil {
			head := roundUp(uint64(unsafe.Sizeof(segmentHeader{})))
			return &Segment{fd: fd, mem: mem, used: map[uint64]uint64{},
				free: []span{{head, uint64(size) - head}}}, nil
		}
	}
	_ = unix.Close(fd)
	return nil, fmt.Errorf("shared memory of %d GiB address range: %v: want a higher limit (ulimit -v)", size>>30, err)
}

func segmentFile(dir string) (int, error) {
	if dir == "" {
		fd, err := unix.MemfdCreate("planner", unix.MFD_CLOEXEC)
		if err != nil {
			return -1, fmt.Errorf("shared memory: memfd_create: %w", err)
		}
		return fd, nil
	}
	fd, err := unix.Open(dir, unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return -1, fmt.Errorf("shared memory in %s: %w", dir, err)
	}
	return fd, nil
}

func mapSegment(fd int) ([]byte, error) {
	return unix.Mmap(fd, 0, reserve, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_NORESERVE)
}

// openPeer maps the segment that another process has open.
func openPeer(pid, fd int) ([]byte, error) {
	name := fmt.Sprintf("/proc/%d/fd/%d", pid, fd)
	f, err := unix.Open(name, unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("shared memory of process %d: open %s: %w", pid, name, err)
	}
	defer unix.Close(f)
	return mapSegment(f)
}

func roundUp(n uint64) uint64 { return (n + page - 1) &^ (page - 1) }

func header(mem []byte) *segmentHeader { return (*segmentHeader)(unsafe.Pointer(&mem[0])) }

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

// offset returns where b lies in the segment, if it does.
func (s *Segment) offset(b []byte) (uint64, bool) {
	if cap(b) == 0 {
		return 0, false
	}
	p, base := uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(unsafe.Pointer(&s.mem[0]))
	if p < base || p+uintptr(len(b)) > base+uintptr(len(s.mem)) {
		return 0, false
	}
	return uint64(p - base), true
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

// Close unmaps the segment. Peers keep what they have mapped.
func (s *Segment) Close() error {
	err := unix.Munmap(s.mem)
	if e := unix.Close(s.fd); err == nil {
		err = e
	}
	return err
}

func unmapSegment(m []byte) error { return unix.Munmap(m) }

// hostIdentity names what processes must have in common to open one another's
// files under /proc: the running kernel and the PID namespace.
func hostIdentity() (host string, pid int) {
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	ns, _ := os.Readlink("/proc/self/ns/pid")
	return strings.TrimSpace(string(boot)) + " " + ns, os.Getpid()
}

func bellParker(b *bell) parker { return futexParker{b} }
