package transport

import (
	"fmt"
	"os"
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
