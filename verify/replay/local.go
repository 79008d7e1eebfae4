package replay

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"time"

	"planner/verify/transport"
)

// Local is a back end whose ranks are goroutines of this process.
type Local struct {
	seats    []*seat
	shape    *transport.Shape
	procs    int // GOMAXPROCS to restore
	realTime bool
}

// procsPerRank is how many threads a rank may have asleep at once: its delay
// and a few streams. A thread asleep in the kernel keeps its share of
// GOMAXPROCS until the runtime's monitor, up to 10 ms later, takes it away
// (runtime/proc.go, retake), and meanwhile no other goroutine has it.
const procsPerRank = 6

// NewLocal starts the ranks of a shape, over its emulated links.
func NewLocal(s *transport.Shape) (*Local, error) {
	ranks := s.Ranks()
	job, err := transport.NewLocal(ranks, transport.Options{Shape: s})
	if err != nil {
		return nil, err
	}
	l := &Local{shape: s, procs: runtime.GOMAXPROCS(0), seats: make([]*seat, ranks), realTime: prioritize()}
	runtime.GOMAXPROCS(max(l.procs, procsPerRank*ranks))
	meet := &localMeetings{}
	err = l.each(func(r int) error {
		s, err := newSeat(job.World(r), meet)
		l.seats[r] = s
		return err
	})
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// each runs f for every rank at once.
func (l *Local) each(f func(r int) error) error {
	errs := make([]error, len(l.seats))
	var wg sync.WaitGroup
	for r := range l.seats {
		wg.Go(func() { errs[r] = f(r) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

// Place returns where the ranks are said to be.
func (l *Local) Place() Place {
	p := Place{Ranks: len(l.seats), What: "goroutines of this machine"}
	for r := range l.seats {
		p.Nodes = append(p.Nodes, l.seats[r].world.Node(r))
	}
	return p
}

// Run carries out a work.
func (l *Local) Run(ctx context.Context, w *Work, progress func(round, of int)) (*Result, error) {
	r, err := drive(ctx, l, w, progress)
	if err == nil {
		r.RealTime = l.realTime
	}
	return r, err
}

func (l *Local) size() int { return len(l.seats) }

func (l *Local) emulated() bool { return l.seats[0].world.Emulated() }

func (l *Local) do(ctx context.Context, c *command) ([]*reply, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	abort := l.seats[0].world.Abort()
	stop := context.AfterFunc(ctx, func() {
		_ = abort.Fail(&transport.Failure{Rank: 0, Peer: -1, Cause: "interrupted"})
	})
	defer stop()
	replies := make([]*reply, len(l.seats))
	begin := time.Now().Add(head)
	err := l.each(func(r int) (err error) {
		replies[r], err = l.seats[r].do(c, begin)
		return err
	})
	if failed := abort.Err(); failed != nil {
		return nil, failed
	}
	return replies, err
}

// Close leaves all groups.
func (l *Local) Close() error {
	err := l.each(func(r int) error {
		if l.seats[r] == nil {
			return nil
		}
		return errors.Join(l.seats[r].close(), l.seats[r].world.Close())
	})
	if l.realTime {
		relax()
	}
	runtime.GOMAXPROCS(l.procs)
	return err
}
