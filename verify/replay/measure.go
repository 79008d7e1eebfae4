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

// measure replays every program once a round, in turn, after warming each up
// until two of its steps agree.
func measure(ctx context.Context, d driver, w *Work, progress func(round, of int)) (*Measurement, error) {
	start := time.Now()
	if err := warm(ctx, d, w, start); err != nil {
		return nil, err
	}
	n := len(w.Programs)
	s := samples{driver: d, work: w, times: make([][]unit.Seconds, n), rows: make([][][]unit.Seconds, n)}
	m := &Measurement{}
	var sentinels []unit.Seconds
	best := time.Duration(math.MaxInt64)
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
		best = min(best, took)
		if float64(took) > (1+moved)*float64(best) && m.Redone < w.rounds() && (w.Budget == 0 || time.Since(start) < w.Budget) {
			m.Redone++
			continue
		}
		s.keep()
		sentinels = append(sentinels, unit.Seconds(took.Seconds()))
		m.Rounds++
	}
	m.Sentinel = spreadOf(sentinels)
	m.Steps = s.steps()
	m.Elapsed = time.Since(start)
	return m, nil
}

// mostWarm bounds the warm-up of one program.
const mostWarm = 4

func warm(ctx context.Context, d driver, w *Work, start time.Time) error {
	if _, err := sentinel(ctx, d); err != nil {
		return err
	}
	for i := range w.Programs {
		last := time.Duration(0)
		for range mostWarm {
			took, _, err := step(ctx, d, i)
			if err != nil {
				return err
			}
			near := math.Abs(float64(took-last)) < settled*float64(took)
			if last = took; near || w.Budget > 0 && time.Since(start) > w.Budget/5 {
				break
			}
		}
	}
	return nil
}

// samples collects the times of rounds.
type samples struct {
	driver driver
	work   *Work
	times  [][]unit.Seconds
	rows   [][][]unit.Seconds // by program and row

	took  []time.Duration // of the round in progress
	calls [][]Instance
}

// round replays every program and returns the time of the sentinel after it.
func (s *samples) round(ctx context.Context) (time.Duration, error) {
	s.took, s.calls = nil, nil
	for i := range s.work.Programs {
		took, calls, err := step(ctx, s.driver, i)
		if err != nil {
			return 0, err
		}
		s.took, s.calls = append(s.took, took), append(s.calls, calls)
	}
	return sentinel(ctx, s.driver)
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
