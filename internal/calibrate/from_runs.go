package calibrate

import (
	"cmp"
	"math"
	"slices"

	"planner/internal/bands"
	"planner/internal/catalog"
	"planner/internal/validate"
	"planner/strategies"
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
	Hardware      string   // the cluster, as --hardware takes it: given, or of the first row
	Layouts       []string // that the factor was taken from
	Notes         []string // what was taken for blanks, and what of the table does not count
	first         *validate.RunResult
}

// FromRuns works out the common factor of a user's measured steps on one
// cluster: hardware, as --hardware takes it, or where that is "" the one that
// every row names.
func FromRuns(name string, runs []validate.Run, hardware string) (*Factor, error) {
	if err := sameParts(name, runs, hardware); err != nil {
		return nil, err
	}
	b := validate.NewBuilder()
	b.Hardware, b.Own = hardware, true
	rep := b.Runs(runs, uncorrected)
	f := &Factor{Hardware: hardware}
	var ratios []float64
	for i := range rep.Rows {
		r := &rep.Rows[i]
		if r.Skipped != "" || r.Measured == nil {
			continue
		}
		if err := f.join(name, r); err != nil {
			return nil, err
		}
		ratio := *r.Measured / r.Step
		if !(ratio > 1./catalog.MostCorrection && ratio < catalog.MostCorrection) {
			return nil, catalog.Errorf("%s:%d: measured %.3g of what is predicted: want step_seconds in seconds, of one whole step", name, r.Line, ratio)
		}
		ratios = append(ratios, ratio)
	}
	if len(ratios) == 0 {
		return nil, nothingMeasured(name, rep)
	}
	f.Notes = notes(rep, f.Hardware, hardware != "")
	f.fit(ratios)
	if f.Spread.High > catalog.MostCorrection || f.Spread.Low < 1./catalog.MostCorrection {
		return nil, catalog.Errorf("%s: measured over predicted steps are %.3g to %.3g: no factor of one cluster: leave out the rows that ran on another, or otherwise", name,
			slices.Min(ratios), slices.Max(ratios))
	}
	return f, nil
}

// uncorrected predicts a run without the correction that the file of its
// cluster may have: a new one takes its place.
func uncorrected(c *validate.Case) (*strategies.Problem, strategies.Estimate) {
	cluster, gpu := *c.Cluster, *c.Cluster.GPU
	gpu.Fit.Correction, gpu.Fit.Spread = 0, [2]float64{}
	cluster.GPU = &gpu
	p := c.Under(&cluster, c.Profile)
	return p, p.Estimate(c.Layout, c.Profile)
}

// sameParts refuses runs of another accelerator than the cluster's.
func sameParts(name string, runs []validate.Run, hardware string) error {
	if hardware == "" {
		return nil
	}
	c, err := catalog.Described(hardware)
	if err != nil {
		return err
	}
	same := map[string]bool{hardware: true, c.GPU.Name: true}
	for i := range runs {
		r := &runs[i]
		if same[r.GPU] {
			continue
		}
		of, err := catalog.Described(r.GPU)
		switch {
		case err != nil:
			return catalog.Errorf("%s:%d: gpu: %v", name, r.Line, err)
		case of.GPU.Name != c.GPU.Name:
			return catalog.Errorf("%s:%d: gpu %q: --hardware %s is of %s: want runs of that, or --hardware %s",
				name, r.Line, r.GPU, hardware, c.GPU.Name, r.GPU)
		}
		same[r.GPU] = true
	}
	return nil
}

// join takes the cluster from the first row; the others must be of it.
func (f *Factor) join(name string, r *validate.RunResult) error {
	c := r.Case.Cluster
	switch {
	case f.first == nil:
		f.first, f.Hardware = r, cmp.Or(f.Hardware, r.Case.Run.GPU)
	case c.Name != f.first.Case.Cluster.Name:
		return catalog.Errorf("%s:%d: gpu %q beside %q: want the runs of one cluster", name, r.Line, r.Case.Run.GPU, f.Hardware)
	}
	if !slices.Contains(f.Layouts, r.Layout) {
		f.Layouts = append(f.Layouts, r.Layout)
	}
	return nil
}

// fit works out the factor and its bands.
func (f *Factor) fit(ratios []float64) {
	f.Steps, f.Correction = len(ratios), validate.Median(ratios)
	f.Off, f.Left = off(ratios, 1), off(ratios, f.Correction)
	p, _ := uncorrected(f.first.Case)
	f.Before = bands.Of(p, &f.first.Estimate)
	p.Correction = 1
	f.After = bands.Of(p, &f.first.Estimate)
	f.Spread = f.After
	f.Spread.Low = min(f.After.Low, slices.Min(ratios)/f.Correction)
	f.Spread.High = max(f.After.High, slices.Max(ratios)/f.Correction)
}

// Wider reports whether the runs differ by more than estimates with the
// correction will allow for.
func (f *Factor) Wider() bool { return f.Spread.Low < f.After.Low || f.Spread.High > f.After.High }

// TOML returns the file of the cluster with the correction.
func (f *Factor) TOML(source, asOf string) (string, error) {
	c, err := catalog.Described(f.Hardware)
	if err != nil {
		return "", err
	}
	fit := &c.GPU.Fit
	fit.Correction, fit.Spread = f.Correction, [2]float64{}
	if f.Wider() {
		fit.Spread = [2]float64{f.Spread.Low, f.Spread.High}
	}
	return HardwareTOML(f.Hardware, c, source, asOf)
}

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
	return validate.Median(v)
}
