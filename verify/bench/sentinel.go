package bench

import (
	"os"
	"strings"
	"time"

	"planner/verify/engine"
)

// sentinel is a fixed piece of work that shows how far the machine is itself:
// every rank copies a block. When that takes longer than at its best, somebody
// else uses the cores or the memory.
type sentinel struct {
	c        *engine.Comm
	from, to []byte
	best     float64
	moved    float64 // largest move so far, relative
}

const (
	sentinelBytes = 1 << 20
	sentinelTries = 5
	// tolerated is the move from which a round does not count: calm machines
	// move by a few per cent, one with a neighbour by a factor (2-core AMD
	// EPYC, 2026-11).
	tolerated = 0.25
)

func newSentinel(c *engine.Comm) (*sentinel, error) {
	s := &sentinel{c: c, from: make([]byte, sentinelBytes), to: make([]byte, sentinelBytes)}
	for range 3 {
		if _, err := s.disturbed(); err != nil {
			return nil, err
		}
	}
	s.moved = 0
	return s, nil
}

// disturbed does the work and reports whether the machine was disturbed. All
// ranks get the same answer.
func (s *sentinel) disturbed() (bool, error) {
	if err := s.c.Barrier(); err != nil {
		return false, err
	}
	fastest := time.Hour
	for range sentinelTries {
		begin := time.Now()
		copy(s.to, s.from)
		fastest = min(fastest, time.Since(begin))
	}
	t, err := s.c.Slowest(fastest.Seconds())
	if err != nil {
		return false, err
	}
	if s.best == 0 || t < s.best {
		s.best = t
	}
	move := t/s.best - 1
	s.moved = max(s.moved, move)
	return move > tolerated, nil
}

// load returns the machine's load averages, empty where the system has none.
func load() string {
	b, _ := os.ReadFile("/proc/loadavg")
	f := strings.Fields(string(b))
	return strings.Join(f[:min(3, len(f))], " ")
}
