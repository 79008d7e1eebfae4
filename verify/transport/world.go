package transport

import (
	"fmt"
	"time"
)

// World is one rank's view of a job.
type World interface {
	// Rank returns this rank's number, Size the number of ranks.
	Rank() int
	Size() int
	// Node returns the node on which a rank runs, by number.
	Node(rank int) int
	// Emulated reports whether a shape makes links slower than the machine's.
	Emulated() bool
	// Core returns the core that this rank is to run on, -1 if any; own is
	// false when the ranks of the host have to share cores.
	Core() (core int, own bool)
	// Open returns this rank's port of the group that id names, whose members
	// are given by world rank. All members open a group with the same id and
	// members; an id serves once.
	Open(id uint64, members []int) (*Port, error)
	// Alloc returns zeroed memory from which members can read directly where
	// the transport can do that; Free gives it back.
	Alloc(bytes int) ([]byte, error)
	Free(b []byte)
	// Abort returns the job's failure state.
	Abort() *Abort
	// Close leaves the job.
	Close() error

	open(id uint64, members []int, s *shaper) (*Port, error)
}

// Options are common to all worlds. The zero value is ready.
type Options struct {
	Timeout time.Duration // bound on every call; 0 is DefaultTimeout
	Shape   *Shape        // emulated links; nil for the machine's own
}

// DefaultTimeout bounds a call when nothing else is asked for. A call on a
// real machine takes at most seconds; NCCL's watchdog in PyTorch waits for 10
// minutes, too long to learn that a rank hangs.
const DefaultTimeout = 30 * time.Second

// Limit returns the bound on a call, with the default applied.
func (o Options) Limit() time.Duration {
	if o.Timeout > 0 {
		return o.Timeout
	}
	return DefaultTimeout
}

// spinPolls is how often a rank looks before it sleeps: about 10 µs, after
// which a pause costs more than a wake-up saves (measured 2026-11 on a 2-core
// AMD EPYC). A rank that shares its core does not spin at all.
const spinPolls = 600

func spinFor(ownCore bool) int {
	if ownCore {
		return spinPolls
	}
	return 0
}

func indexOf(members []int, rank int) (int, error) {
	for i, m := range members {
		if m == rank {
			return i, nil
		}
	}
	return 0, fmt.Errorf("group %v: rank %d is not a member", members, rank)
}

func newPort(w World, o Options, members []int) (*Port, error) {
	me, err := indexOf(members, w.Rank())
	if err != nil {
		return nil, err
	}
	return &Port{rank: me, members: members, links: make([]link, len(members)),
		bells: make([]*bell, len(members)), abort: w.Abort(), timeout: o.Limit(), yield: yield}, nil
}

// OpenBare is w.Open without emulated links, which measures the machine.
func OpenBare(w World, id uint64, members []int) (*Port, error) {
	return w.open(id, members, nil)
}
