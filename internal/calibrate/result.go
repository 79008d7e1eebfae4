package calibrate

import (
	"maps"
	"math"
	"slices"
)

// Constant is one fitted constant.
type Constant struct {
	Framework, Arch string // Framework "" for an accelerator's
	Name            string
	Prior, Value    float64
	// Deviation is the standard error of ln(Value), the prior counted;
	// Spread the prior's own.
	Deviation, Spread float64
	// Rows counts the runs whose prediction the constant moves by more than a
	// tenth of a percent when it changes by a tenth; Sources where they are from.
	Rows    int
	Sources []string
}

// Known reports whether runs narrowed the constant beyond its prior.
func (c *Constant) Known() bool { return c.Deviation < 0.8*c.Spread }

// Result is a fit of everything that runs speak of.
type Result struct {
	Constants []Constant
	final     *constants
	rows      []*sample
}

// leastRows is the fewest measured rows that a constant is fitted on; with
// fewer it keeps its prior.
const leastRows = 4

// leastMemory is the same for a framework's memory on a generation: a handful
// of rows of one model would set what its bytes per parameter are.
const leastMemory = 10

// fitSamples fits the constants of accelerators and frameworks on measured runs.
func fitSamples(rows []*sample) *Result {
	res := &Result{rows: rows}
	times := byArch(rows, leastRows, func(s *sample) bool { return s.step > 0 })
	oom := outOfMemory(rows)
	memories := byArch(rows, leastMemory, func(s *sample) bool { return s.remembers(oom) })
	all := start(rows)
	for _, arch := range slices.Sorted(maps.Keys(times)) {
		f := newFit(times[arch], timeKnobs, gpuKnobs, stepResidual)
		res.take(f, all)
	}
	for _, arch := range slices.Sorted(maps.Keys(memories)) {
		f := newFit(memories[arch], memoryKnobs, nil, memoryResidual)
		f.linear = true // a run that ends out of memory speaks truth however wrong the prediction
		res.take(f, all)
	}
	res.final = all
	res.serveOthers()
	return res
}

// byArch splits the rows that speak into generations, places with too few of
// them left out.
func byArch(rows []*sample, least int, speaks func(*sample) bool) map[string][]*sample {
	n := map[place]int{}
	for _, s := range rows {
		if speaks(s) {
			n[s.at]++
		}
	}
	out := map[string][]*sample{}
	for _, s := range rows {
		if speaks(s) && n[s.at] >= least && s.at.arch != "volta" {
			out[s.at.arch] = append(out[s.at.arch], s)
		}
	}
	return out
}

// take solves a fit and copies its values into all.
func (res *Result) take(f *fit, all *constants) {
	c, dev := f.solve(f.prior)
	if start, fewer := f.narrow(c, dev); fewer {
		c, dev = f.solve(start)
	}
	r := f.errors(c)
	jac := f.jacobian(c, r)
	for j := range f.turns {
		t := &f.turns[j]
		v := *t.value(c)
		*t.value(all) = v
		k := Constant{Framework: t.at.framework, Arch: t.at.arch, Name: t.name, Prior: *t.value(f.prior), Value: v, Deviation: dev[j], Spread: t.spread}
		from := map[string]bool{}
		for i := range jac {
			if math.Abs(jac[i][j]) > 0.01 {
				k.Rows++
				from[f.rows[i].source] = true
			}
		}
		k.Sources = slices.Sorted(maps.Keys(from))
		res.Constants = append(res.Constants, k)
	}
}
