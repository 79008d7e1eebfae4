//go:build linux

package transport

import (
	"errors"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
	"pgregory.net/rapid"
)

// TestFullFileSystem puts shared memory on a file system of 1 MiB.
func TestFullFileSystem(t *testing.T) {
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=1m"); err != nil {
		t.Skipf("needs root: %v", err)
	}
	defer func() { _ = unix.Unmount(dir, 0) }()
	s, err := NewSegment(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Alloc(8 << 20); !errors.Is(err, unix.ENOSPC) || !strings.Contains(err.Error(), "no room for 8388608 bytes") {
		t.Errorf("got %v", err)
	}
	b, err := s.Alloc(64 << 10) // what was taken in vain is free again
	if err != nil {
		t.Fatal(err)
	}
	b[len(b)-1] = 1
}

// TestSegmentAllocations allocates and frees at random: spans never overlap,
// are zero, and all come back.
func TestSegmentAllocations(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, err := NewSegment("")
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		whole := s.free[0]
		var live [][]byte
		for range rapid.IntRange(1, 20).Draw(t, "steps") {
			if len(live) > 0 && rapid.Bool().Draw(t, "free") {
				i := rapid.IntRange(0, len(live)-1).Draw(t, "which")
				s.Free(live[i])
				live = append(live[:i], live[i+1:]...)
				continue
			}
			b, err := s.Alloc(rapid.IntRange(1, 20000).Draw(t, "bytes"))
			if err != nil {
				t.Fatal(err)
			}
			for _, other := range live {
				if Overlap(b, other) {
					t.Fatal("spans overlap")
				}
			}
			if b[0] != 0 || b[len(b)-1] != 0 {
				t.Fatal("not zero")
			}
			b[0], b[len(b)-1] = 1, 1
			live = append(live, b)
		}
		for _, b := range live {
			s.Free(b)
		}
		if len(s.free) != 1 || s.free[0] != whole {
			t.Fatalf("left %v of %v", s.free, whole)
		}
	})
}
