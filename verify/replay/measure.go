package replay

import (
	"context"
	"math"
	"time"

	"planner/hardware/unit"
)

// Measurement is what replaying plans found.
type Measurement struct {
	Steps    []Step // by program
	Rounds   int
	Redone   int // rounds repeated because the machine had slowed
	Repeated int // steps repeated because they were disturbed
	Sentinel Spread
	Elapsed  time.Duration
}

// Step is the measured step of one plan.
type Step struct {
	Spread
	Times []unit.Seconds // of the rounds that count, in order
	Rows  []Spread       // of one call, by row of Program.Calls; N 0: not measured
}

// settled is how near two warm-up steps must be.
const settled = 0.05

// moved is by how much the sentinel may differ from its best before a round
// is repeated.
const moved = 0.25

// movedStep is by how much a step on emulated links may differ from its best
// before it is repeated: such steps repeat within a percent, calls that meet in
// another order make some, and more is other programs on the ranks' cores. Real
// links have slow steps of their own, which belong to what is measured: over
// loopback TCP 40 % of steps were this slow, and as many of those that counted
// where they were repeated (4 ranks on 2 cores, 2026-11).
const movedStep = 0.08

// measure replays every program once a round, in turn, after warming each up
// until two of its steps agree.
func measure(ctx context.Context, d driver, w *Work, progress func(round, of int)) (*Measurement, error) {
	start := time.Now()
	best, err := warm(ctx, d, w, start)
	if err != nil {
		return nil, err
	}
	n := len(w.Programs)
	s := samples{driver: d, work: w, start: start, best: best, times: make([][]unit.Seconds, n), rows: make([][][]unit.Seconds, n)}
	m := &Measurement{}
	var sentinels []unit.Seconds
	fastest := time.Duration(math.MaxInt64)
	for m.Rounds < w.rounds() {
		if spent := time.Since(start); w.Budget > 0 && m.Rounds >= 3 && spent > w.Budget {
			break
		}
		if progress != nil {
			progress(m.Rounds+1, w.rounds())
		}
		took, err := s.round(ctx)
		if err != nil {
			return nil, err
		}
		fastest = min(fastest, took)
		if float64(took) > (1+moved)*float64(fastest) && m.Redone < w.rounds() && (w.Budget == 0 || time.Since(start) < w.Budget) {
			m.Redone++
			continue
		}
		s.keep()
		sentinels = append(sentinels, unit.Seconds(took.Seconds()))
		m.Rounds++
	}
	m.Sentinel = spreadOf(sentinels)
	m.Steps, m.Repeated = s.steps(), s.repeated
	m.Elapsed = time.Since(start)
	return m, nil
}

// mostWarm bounds the warm-up of one program, and warmShare is the part of the
// budget after which one step of each has to do: verify's default would lose one
// of its five rounds to warming up, and the first round after one step is as
// fast as the others.
const (
	mostWarm  = 4
	warmShare = 0.2
)

// warm returns the fastest step of each program.
func warm(ctx context.Context, d driver, w *Work, start time.Time) ([]time.Duration, error) {
	if _, err := sentinel(ctx, d); err != nil {
		return nil, err
	}
	best := make([]time.Duration, len(w.Programs))
	for i := range w.Programs {
		last := time.Duration(0)
		best[i] = math.MaxInt64
		for range mostWarm {
			took, _, err := step(ctx, d, i)
			if err != nil {
				return nil, err
			}
			best[i] = min(best[i], took)
			near := math.Abs(float64(took-last)) < settled*float64(took)
			if last = took; near || w.Budget > 0 && time.Since(start).Seconds() > warmShare*w.Budget.Seconds() {
				break
			}
		}
	}
	return best, nil
}

// samples collects the times of rounds.
type samples struct {
	driver driver
	work   *Work
	times  [][]unit.Seconds
	rows   [][][]unit.Seconds // by program and row

	start    time.Time
	best     []time.Duration // step of each program
	repeated int             // steps

	took  []time.Duration // of the round in progress
	calls [][]Instance
}

// again is how often a step is repeated that was disturbed.
const again = 2

// round replays every program and returns the time of the sentinel after it. A
// step on emulated links that takes much longer than the fastest of its program
// was disturbed: nothing makes it faster than it is.
func (s *samples) round(ctx context.Context) (time.Duration, error) {
	s.took, s.calls = nil, nil
	for i := range s.work.Programs {
		took, calls, err := step(ctx, s.driver, i)
		for try := 0; err == nil && try < again && s.slow(i, took); try++ {
			s.repeated++
			took, calls, err = step(ctx, s.driver, i)
		}
		if err != nil {
			return 0, err
		}
		s.took, s.calls = append(s.took, took), append(s.calls, calls)
		s.best[i] = min(s.best[i], took)
	}
	return sentinel(ctx, s.driver)
}

// slow reports whether a step was disturbed, while there is time to repeat it.
func (s *samples) slow(i int, took time.Duration) bool {
	late := s.work.Budget > 0 && time.Since(s.start) > s.work.Budget
	return s.driver.emulated() && !late && float64(took) > (1+movedStep)*float64(s.best[i])
}

// keep adds the round to the samples.
func (s *samples) keep() {
	for i, p := range s.work.Programs {
		s.times[i] = append(s.times[i], unit.Seconds(s.took[i].Seconds()))
		if s.rows[i] == nil {
			s.rows[i] = make([][]unit.Seconds, len(p.Calls))
		}
		for _, x := range s.calls[i] {
			s.rows[i][x.Row] = append(s.rows[i][x.Row], unit.Seconds(x.Dur.Seconds()))
		}
	}
}

func (s *samples) steps() []Step {
	var out []Step
	for i := range s.times {
		st := Step{Spread: spreadOf(s.times[i]), Times: s.times[i]}
		for _, row := range s.rows[i] {
			st.Rows = append(st.Rows, spreadOf(row))
		}
		out = append(out, st)
	}
	return out
}
