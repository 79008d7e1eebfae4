package ask

import (
	"context"

	"planner/internal/bands"
	"planner/strategies"
)

// Space returns the layouts that the question's constraints leave.
func (a *Answer) Space() strategies.Space {
	s, _ := a.Limits.Space() // checked
	return s
}

// Search ranks the layouts of a space, each estimate with its 80 % band.
// NearestOf explains it where nothing fits.
func (a *Answer) Search(ctx context.Context, s strategies.Space, o strategies.Options) *strategies.Result {
	a.searched = s
	r := strategies.Search(ctx, a.Problem, s, o)
	bands.FillAll(a.Problem, r)
	return r
}

// Explain predicts one legal layout in full, with its 80 % band.
func (a *Answer) Explain(l strategies.Layout, f *strategies.Profile) *strategies.Explanation {
	x := a.Problem.Explain(l, f)
	bands.Fill(a.Problem, &x.Estimate)
	return x
}

// BandNote says what the band of an estimate rests on.
func (a *Answer) BandNote(e *strategies.Estimate) (runs int, note string) {
	b := bands.Of(a.Problem, e)
	return b.Comparable, b.Note
}
