package launch

import (
	"math/rand/v2"
	"os"
	"syscall"
	"testing"
	"time"

	"planner/verify/transport"
)

// TestSoak starts jobs and breaks them at random moments in random ways, for
// the time that PLANNER_SOAK says (2 s without it). Nothing may stay behind.
func TestSoak(t *testing.T) {
	length := 2 * time.Second
	if s := os.Getenv("PLANNER_SOAK"); s != "" {
		var err error
		if length, err = time.ParseDuration(s); err != nil {
			t.Fatal(err)
		}
	}
	kinds := []transport.Kind{transport.Shm, transport.TCP, transport.Unix, transport.Mixed}
	files, fds := entries(t, "/dev/shm"), -1
	jobs := 0
	for end := time.Now().Add(length); time.Now().Before(end); jobs++ {
		kind, victim := kinds[rand.IntN(len(kinds))], rand.IntN(3)
		var survivors []int
		for r := range 3 {
			if r != victim {
				survivors = append(survivors, r)
			}
		}
		signal := []syscall.Signal{syscall.SIGKILL, syscall.SIGSTOP, syscall.SIGTERM}[rand.IntN(3)]
		delay := time.Duration(rand.IntN(int(3 * time.Millisecond)))
		fault(t, kind, "run", 150*time.Millisecond, survivors, func(p []*os.Process) {
			<-time.After(delay)
			_ = p[victim].Signal(signal)
		})
		if n := entries(t, "/proc/self/fd"); fds < 0 {
			fds = n
		} else if n > fds+2 {
			t.Fatalf("after %d jobs: %d open files, %d after the first", jobs+1, n, fds)
		}
	}
	if n := entries(t, "/dev/shm"); n > files {
		t.Errorf("%d files in /dev/shm, %d before", n, files)
	}
	t.Logf("%d jobs broken", jobs)
}

func entries(t *testing.T, dir string) int {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Skipf("%s: %v", dir, err)
	}
	return len(list)
}
