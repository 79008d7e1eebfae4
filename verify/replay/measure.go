package replay

import (
	"context"
	"math"
	"slices"
	"time"

	"planner/costmodel/collective"
	"planner/hardware/unit"
)

// Options steer a measurement. The zero value is ready.
type Options struct {
	Rounds   int           // rounds that count; 0: 5
	Budget   time.Duration // after which no round begins, three apart; 0: none
	Progress func(round, of int)
}

// Measurement is what replaying plans found.
type Measurement struct {
	Steps    []Step // by plan
	Rounds   int
	Redone   int // rounds repeated because the machine had slowed
	Sentinel Spread
	Elapsed  time.Duration
}

// Step is the measured step of one plan.
type Step struct {
	Spread
	Times []unit.Seconds // of the rounds that count, in order
	Rows  []Spread       // of one call, by row of Plan.Calls; N 0: not measured
}

// Spread summarises repeated times.
type Spread struct {
	Median, Min, Max unit.Seconds
	// Error is half of the interquartile range over √N, times 1.25: about the
	// standard error of the median (McGill, Tukey and Larsen 1978 use 1.57·IQR/√N
	// for a notch of ±1.7 of it).
	Error unit.Seconds
	N     int
}

// settled is how near two warm-up steps must be.
const settled = 0.05

// moved is by how much the sentinel may differ from its best before a round
// is repeated.
const moved = 0.25

// Measure replays every plan of the job once a round, in turn, after warming
// each up until two of its steps agree.
func (j *Job) Measure(ctx context.Context, o Options) (*Measurement, error) {
	start := time.Now()
	if o.Rounds == 0 {
		o.Rounds = 5
	}
	if err := j.warm(ctx, start, o); err != nil {
		return nil, err
	}
	s := samples{job: j, times: make([][]unit.Seconds, len(j.plans)), rows: make([][][]unit.Seconds, len(j.plans))}
	m := &Measurement{}
	var sentinels []unit.Seconds
	best := time.Duration(math.MaxInt64)
	for m.Rounds < o.Rounds {
		if spent := time.Since(start); o.Budget > 0 && m.Rounds >= 3 && spent > o.Budget {
			break
		}
		if o.Progress != nil {
			o.Progress(m.Rounds+1, o.Rounds)
		}
		took, err := s.round(ctx)
		if err != nil {
			return nil, err
		}
		best = min(best, took)
		if float64(took) > (1+moved)*float64(best) && m.Redone < o.Rounds && (o.Budget == 0 || time.Since(start) < o.Budget) {
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

// mostWarm bounds the warm-up of one plan.
const mostWarm = 4

func (j *Job) warm(ctx context.Context, start time.Time, o Options) error {
	if _, err := j.Sentinel(); err != nil {
		return err
	}
	for i := range j.plans {
		last := time.Duration(0)
		for range mostWarm {
			took, _, err := j.Step(ctx, i)
			if err != nil {
				return err
			}
			near := math.Abs(float64(took-last)) < settled*float64(took)
			if last = took; near || o.Budget > 0 && time.Since(start) > o.Budget/4 {
				break
			}
		}
	}
	return nil
}

// samples collects the times of rounds.
type samples struct {
	job   *Job
	times [][]unit.Seconds
	rows  [][][]unit.Seconds // by plan and row

	took  []time.Duration // of the round in progress
	calls [][]Instance
}

// round replays every plan and returns the time of the sentinel after it.
func (s *samples) round(ctx context.Context) (time.Duration, error) {
	s.took, s.calls = nil, nil
	for i := range s.job.plans {
		took, calls, err := s.job.Step(ctx, i)
		if err != nil {
			return 0, err
		}
		s.took, s.calls = append(s.took, took), append(s.calls, calls)
	}
	return s.job.Sentinel()
}

// keep adds the round to the samples.
func (s *samples) keep() {
	for i, p := range s.job.plans {
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

// spreadOf summarises times.
func spreadOf(times []unit.Seconds) Spread {
	n := len(times)
	if n == 0 {
		return Spread{}
	}
	t := slices.Clone(times)
	slices.Sort(t)
	at := func(q float64) unit.Seconds {
		h := q * float64(n-1)
		i := min(int(h), max(0, n-2))
		if n == 1 {
			return t[0]
		}
		return t[i] + (t[i+1] - t[i]).Times(h-float64(i))
	}
	return Spread{Median: at(0.5), Min: t[0], Max: t[n-1], N: n,
		Error: (at(0.75) - at(0.25)).Times(1.25 / 1.35 / math.Sqrt(float64(n)))}
}

// Axis is the predicted and the measured time of the calls of one axis on the
// slowest pipeline rank, each alone on its links.
type Axis struct {
	Axis                collective.Axis
	Predicted, Measured unit.Seconds
}

// Axes sums the calls of a plan's slowest pipeline rank by axis. Rows without
// a measurement count as predicted.
func (p *Plan) Axes(s *Step) []Axis {
	var sums [collective.NumAxes]Axis
	for i := range p.Calls {
		c := &p.Calls[i]
		if c.Stage != p.Estimate.Slowest || !c.Phase.InStep() {
			continue
		}
		a := &sums[c.Axis]
		a.Axis = c.Axis
		a.Predicted += c.Total()
		if r := s.Rows[i]; r.N > 0 {
			a.Measured += r.Median.Times(c.Count)
		} else {
			a.Measured += c.Total()
		}
	}
	var out []Axis
	for _, a := range sums {
		if a.Predicted > 0 {
			out = append(out, a)
		}
	}
	return out
}
