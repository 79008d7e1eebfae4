package validate

import (
	"math"
	"slices"
)

// CalibratePer lets one run of each group set the factor of its cluster: the
// predictions of the others are multiplied by measured over predicted of that
// one. The run is the one whose predicted step is the median, chosen without a
// look at measurements. It returns the errors of the others by source, and
// enters them in the summary.
func (rep *Report) CalibratePer() map[string]*Errors {
	groups := map[string][]*RunResult{}
	for i := range rep.Rows {
		if r := &rep.Rows[i]; r.Measured != nil && r.Skipped == "" && r.Group != "" {
			groups[r.Group] = append(groups[r.Group], r)
		}
	}
	ratios := map[string][]float64{}
	for _, g := range groups {
		if len(g) < 2 {
			continue
		}
		slices.SortFunc(g, func(a, b *RunResult) int {
			if a.Step != b.Step {
				return int(math.Copysign(1, a.Step-b.Step))
			}
			return a.Line - b.Line
		})
		pick := g[(len(g)-1)/2]
		factor := *pick.Measured / pick.Step
		for _, r := range g {
			if r != pick {
				ratios[r.Source] = append(ratios[r.Source], factor*r.Step / *r.Measured)
			}
		}
	}
	out := map[string]*Errors{}
	for s, v := range ratios {
		out[s] = errorsOf(v)
	}
	for i := range rep.Summary.Sources {
		s := &rep.Summary.Sources[i]
		s.Calibrated = out[s.Source]
	}
	return out
}
