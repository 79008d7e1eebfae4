package replay

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"time"

	"planner/verify/engine"
	"planner/verify/reduce"
	"planner/verify/transport"
)

// Job is ranks that are goroutines of this process, ready to replay plans.
type Job struct {
	worlds []transport.World
	plans  []*Plan
	ranks  [][]*member // by plan, by rank
	whole  []*engine.Comm
	meet   meetings
	failed chan struct{} // closes when the job fails
	probes int           // made so far
	procs  int           // GOMAXPROCS to restore
	// RealTime says that the kernel runs the ranks before other programs.
	RealTime bool
}

// procsPerRank is how many threads a rank may have asleep at once: its delay
// and a few streams. A thread asleep in the kernel keeps its share of
// GOMAXPROCS until the runtime's monitor, up to 10 ms later, takes it away
// (runtime/proc.go, retake), and meanwhile no other goroutine has it.
const procsPerRank = 6

// Open starts a job of the size of its plans, all equal, over the links that o
// emulates.
func Open(o transport.Options, ranks int, plans []*Plan) (*Job, error) {
	local, err := transport.NewLocal(ranks, o)
	if err != nil {
		return nil, err
	}
	j := &Job{plans: plans, procs: runtime.GOMAXPROCS(0), failed: make(chan struct{}), RealTime: prioritize()}
	runtime.GOMAXPROCS(max(j.procs, procsPerRank*ranks))
	for r := range ranks {
		j.worlds = append(j.worlds, local.World(r))
	}
	j.worlds[0].Abort().OnFail(func(*transport.Failure) { close(j.failed) })
	j.whole = make([]*engine.Comm, ranks)
	err = j.each(func(r int) error {
		c, err := engine.New(j.worlds[r])
		j.whole[r] = c
		return err
	})
	for i, p := range plans {
		members := make([]*member, ranks)
		j.ranks = append(j.ranks, members)
		err = errors.Join(err, j.each(func(r int) error {
			m, err := j.newMember(j.worlds[r], p, uint64(i+1))
			members[r] = m
			return err
		}))
	}
	if err != nil {
		return nil, errors.Join(err, j.Close())
	}
	return j, nil
}

// each runs f for every rank at once.
func (j *Job) each(f func(r int) error) error {
	errs := make([]error, len(j.worlds))
	var wg sync.WaitGroup
	for r := range j.worlds {
		wg.Go(func() { errs[r] = f(r) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

// Close leaves all groups.
func (j *Job) Close() error {
	err := j.each(func(r int) error {
		var err error
		for _, members := range j.ranks {
			if members[r] != nil {
				err = errors.Join(err, members[r].close())
			}
		}
		if j.whole[r] != nil {
			err = errors.Join(err, j.whole[r].Close())
		}
		return errors.Join(err, j.worlds[r].Close())
	})
	j.ranks = nil
	if j.RealTime {
		relax()
	}
	runtime.GOMAXPROCS(j.procs)
	return err
}

// head is how far ahead the beginning of a step is set, so that every rank's
// goroutine is there in time.
const head = 2 * time.Millisecond

// Step replays plan i once. The time is that of the slowest rank.
func (j *Job) Step(ctx context.Context, i int) (time.Duration, []Instance, error) {
	if err := ctx.Err(); err != nil {
		return 0, nil, err
	}
	stop := context.AfterFunc(ctx, func() {
		j.worlds[0].Abort().Fail(&transport.Failure{Rank: 0, Peer: -1, Cause: "interrupted"})
	})
	defer stop()
	events := make([][]event, len(j.worlds))
	ends := make([]time.Duration, len(j.worlds))
	begin := time.Now().Add(head)
	err := j.each(func(r int) (err error) {
		time.Sleep(time.Until(begin))
		events[r], ends[r], err = j.ranks[i][r].step(begin)
		return err
	})
	if failed := j.worlds[0].Abort().Err(); failed != nil {
		return 0, nil, failed
	}
	if err != nil {
		return 0, nil, err
	}
	var slowest time.Duration
	for _, e := range ends {
		slowest = max(slowest, e)
	}
	return slowest, instances(events), nil
}

// sentinelBytes is the message of the sentinel: its time is that of bytes and
// of wake-ups alike on links of some 40 MB/s.
const sentinelBytes = 64 << 10

// Sentinel times one fixed call of all ranks, which shows whether the machine
// is as fast as it was.
func (j *Job) Sentinel() (time.Duration, error) {
	begin := time.Now()
	err := j.each(func(r int) error {
		in, out := make([]byte, sentinelBytes), make([]byte, sentinelBytes)
		for range 4 {
			if err := j.whole[r].AllReduce(out, in, sentinelBytes/4, reduce.F32, reduce.Sum); err != nil {
				return err
			}
		}
		return nil
	})
	return time.Since(begin), err
}
