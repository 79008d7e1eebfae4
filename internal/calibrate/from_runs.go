package calibrate

import (
	"fmt"
	"math"
	"slices"

	"planner/internal/bands"
	"planner/internal/catalog"
	"planner/internal/validate"
)

// Factor is what measured steps of one cluster say of its predictions.
type Factor struct {
	Steps      int
	Correction float64 // measured over predicted, in the median
	Off        float64 // median |predicted/measured − 1| before
	Left       float64 // the same after
	Before     bands.Band
	// After is the band of one corrected step. Spread holds it and what these runs
	// show: no band is narrower than its own evidence.
	After, Spread bands.Band
	GPU           string // as the first row names it
	Part          string // the accelerator that this is
	SkippedLines  []string
	first         *validate.RunResult
}

// FromRuns works out the common factor of a user's measured steps, which must
// be of one kind of accelerator.
func FromRuns(name string, runs []validate.Run) (*Factor, error) {
	rep := validate.Runs(runs)
	f := &Factor{}
	var ratios []float64
	for i := range rep.Rows {
		r := &rep.Rows[i]
		if r.Skipped != "" {
			f.SkippedLines = append(f.SkippedLines, fmt.Sprintf("line %d: %s", r.Line, r.Skipped))
			continue
		}
		if r.Measured == nil {
			continue
		}
		if err := f.join(name, r); err != nil {
			return nil, err
		}
		ratios = append(ratios, *r.Measured/r.Step)
	}
	if len(ratios) == 0 {
		return nil, nothingMeasured(name, rep)
	}
	f.fit(ratios)
	if !(f.Correction > 1./catalog.MostCorrection && f.Correction < catalog.MostCorrection) {
		return nil, catalog.Errorf("%s: measured %.3g of what is predicted: want step_seconds in seconds, of one whole step", name, f.Correction)
	}
	return f, nil
}

// join takes the cluster from the first row; the others must be of it.
func (f *Factor) join(name string, r *validate.RunResult) error {
	c := r.Case.Cluster
	switch {
	case f.first == nil:
		f.first, f.GPU, f.Part = r, r.Case.Run.GPU, c.GPU.Name
	case c.Name != f.first.Case.Cluster.Name:
		return catalog.Errorf("%s:%d: gpu %q beside %q: want the runs of one cluster", name, r.Line, r.Case.Run.GPU, f.GPU)
	}
	return nil
}

// fit works out the factor and its bands.
func (f *Factor) fit(ratios []float64) {
	slices.Sort(ratios)
	f.Steps, f.Correction = len(ratios), ratios[len(ratios)/2]
	f.Off, f.Left = off(ratios, 1), off(ratios, f.Correction)
	p := f.first.Case.Problem()
	f.Before = bands.Of(p, &f.first.Estimate)
	p.Correction = 1
	f.After = bands.Of(p, &f.first.Estimate)
	f.Spread = f.After
	f.Spread.Low = min(f.After.Low, ratios[0]/f.Correction)
	f.Spread.High = max(f.After.High, ratios[len(ratios)-1]/f.Correction)
}

// Wider reports whether the runs differ by more than estimates with the
// correction will allow for.
func (f *Factor) Wider() bool { return f.Spread.Low < f.After.Low || f.Spread.High > f.After.High }

// nothingMeasured says why no row counts: what keeps the first measured one
// from being predicted, or that none is measured.
func nothingMeasured(name string, rep *validate.Report) error {
	for i := range rep.Rows {
		if r := &rep.Rows[i]; r.Measured != nil && r.Skipped != "" {
			return catalog.Errorf("%s:%d: %s", name, r.Line, r.Skipped)
		}
	}
	return catalog.Errorf("%s: no row with a measured step: want step_seconds or tokens_per_second_per_gpu", name)
}

func off(ratios []float64, factor float64) float64 {
	v := make([]float64, len(ratios))
	for i, r := range ratios {
		v[i] = math.Abs(factor/r - 1)
	}
	slices.Sort(v)
	return v[len(v)/2]
}
