package calibrate

import (
	"math"
	"slices"

	"planner/internal/bands"
	"planner/internal/catalog"
	"planner/internal/validate"
)

// Factor is what measured steps of one cluster say of its predictions.
type Factor struct {
	Steps        int
	Correction   float64 // measured over predicted, in the median
	Off          float64 // median |predicted/measured − 1| before
	Left         float64 // the same after
	Before       bands.Band
	After        bands.Band
	GPU          string
	PerNode      int
	SkippedLines []string
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
			f.SkippedLines = append(f.SkippedLines, r.Skipped)
			continue
		}
		if r.Measured == nil {
			continue
		}
		if f.GPU == "" {
			f.GPU, f.PerNode = r.Case.Run.GPU, r.Case.Cluster.PerNode
			p := r.Case.Problem()
			f.Before = bands.Of(p, &r.Estimate)
			p.Correction = 1
			f.After = bands.Of(p, &r.Estimate)
		}
		if r.Case.Run.GPU != f.GPU {
			return nil, catalog.Errorf("%s:%d: gpu %q beside %q: want the runs of one cluster", name, r.Line, r.Case.Run.GPU, f.GPU)
		}
		ratios = append(ratios, *r.Measured/r.Step)
	}
	if len(ratios) == 0 {
		return nil, catalog.Errorf("%s: no row with a measured step that can be predicted: want step_seconds or tokens_per_second_per_gpu", name)
	}
	slices.Sort(ratios)
	f.Steps, f.Correction = len(ratios), ratios[len(ratios)/2]
	f.Off, f.Left = off(ratios, 1), off(ratios, f.Correction)
	return f, nil
}

func off(ratios []float64, factor float64) float64 {
	v := make([]float64, len(ratios))
	for i, r := range ratios {
		v[i] = math.Abs(factor/r - 1)
	}
	slices.Sort(v)
	return v[len(v)/2]
}
