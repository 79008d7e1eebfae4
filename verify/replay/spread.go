package replay

import (
	"math"
	"slices"

	"planner/costmodel/collective"
	"planner/hardware/unit"
)

// Spread summarises repeated times.
type Spread struct {
	Median, Min, Max unit.Seconds
	// Error is half of the interquartile range over √N, times 1.25: about the
	// standard error of the median (McGill, Tukey and Larsen 1978 use 1.57·IQR/√N
	// for a notch of ±1.7 of it).
	Error unit.Seconds
	N     int
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
