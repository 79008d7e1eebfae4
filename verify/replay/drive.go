package replay

import (
	"context"
	"time"

	"planner/hardware/unit"
)

// driver has all ranks carry out commands.
type driver interface {
	do(ctx context.Context, c *command) ([]*reply, error)
	size() int
	emulated() bool // the links of the ranks
}

// head is how far ahead the beginning of a step is set, so that every rank is
// there in time.
const head = 2 * time.Millisecond

// drive carries out a work.
func drive(ctx context.Context, d driver, w *Work, progress func(round, of int)) (*Result, error) {
	if _, err := d.do(ctx, &command{Kind: cmdLoad, Work: w}); err != nil {
		return nil, err
	}
	out := &Result{}
	if len(w.Programs) > 0 {
		m, err := measure(ctx, d, w, progress)
		if err != nil {
			return nil, err
		}
		out.Measurement = *m
	}
	var err error
	if out.Samples, out.SampleRounds, err = sampleAll(ctx, d, w, progress); err != nil {
		return nil, err
	}
	if w.Probe != nil {
		out.Probes, err = probeAll(ctx, d, w.Probe)
	}
	return out, err
}

// step replays program i once. The time is that of the slowest rank.
func step(ctx context.Context, d driver, i int) (time.Duration, []Instance, error) {
	replies, err := d.do(ctx, &command{Kind: cmdStep, Index: i})
	if err != nil {
		return 0, nil, err
	}
	return slowest(replies), instances(replies), nil
}

func slowest(replies []*reply) time.Duration {
	var out time.Duration
	for _, r := range replies {
		out = max(out, r.End)
	}
	return out
}

// sentinel times a fixed call of all ranks, which shows whether the machine is
// as fast as it was.
func sentinel(ctx context.Context, d driver) (time.Duration, error) {
	begin := time.Now()
	_, err := d.do(ctx, &command{Kind: cmdSentinel})
	return time.Since(begin), err
}

// sampleAll makes every sample once a round, in turn, after one round that
// does not count, and returns how many rounds do.
func sampleAll(ctx context.Context, d driver, w *Work, progress func(round, of int)) (out []Spread, rounds int, err error) {
	if len(w.Samples) == 0 {
		return nil, 0, nil
	}
	start := time.Now()
	times := make([][]unit.Seconds, len(w.Samples))
	for round := range 1 + w.rounds() {
		if round > 3 && w.Budget > 0 && time.Since(start) > w.Budget {
			break
		}
		if progress != nil && round > 0 {
			progress(round, w.rounds())
		}
		for i := range w.Samples {
			took, err := sample(ctx, d, i)
			if err != nil {
				return nil, 0, err
			}
			if round > 0 {
				times[i] = append(times[i], unit.Seconds(took.Seconds()))
			}
		}
		rounds = round
	}
	for _, t := range times {
		out = append(out, spreadOf(t))
	}
	return out, rounds, nil
}

// sample makes sample i once. The time is that of the slowest group.
func sample(ctx context.Context, d driver, i int) (took time.Duration, err error) {
	replies, err := d.do(ctx, &command{Kind: cmdSample, Index: i})
	if err != nil {
		return 0, err
	}
	for _, x := range instances(replies) {
		took = max(took, x.Dur)
	}
	return took, nil
}

// rounds returns the rounds that count.
func (w *Work) rounds() int {
	if w.Rounds == 0 {
		return 5
	}
	return w.Rounds
}
