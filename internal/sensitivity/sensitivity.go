package sensitivity

import (
	"context"
	"errors"

	"planner/internal/ask"
	"planner/internal/bands"
	"planner/strategies"
)

// Request is what to examine.
type Request struct {
	Answer *ask.Answer
	Space  strategies.Space
	// Layout and Framework are the chosen layout; a nil Framework takes the
	// first of the ranking.
	Layout    strategies.Layout
	Framework *strategies.Profile
	Progress  func(done, of int)
}

// Result is what changes do.
type Result struct {
	*Request
	Base       strategies.Estimate
	First      *strategies.Estimate // of the ranking; nil: nothing fits
	Knobs      []Knob
	Figures    []Figure
	Thresholds []Threshold
}

// Run turns every knob and swings every figure. The error is ctx's when it was
// interrupted; another says that there is no layout to examine.
func Run(ctx context.Context, r *Request) (*Result, error) {
	p := r.Answer.Problem
	var used []*figure
	for i := range figures {
		if figures[i].has(p.Cluster) {
			used = append(used, &figures[i])
		}
	}
	total := len(used) + 2
	done := func(n int) {
		if r.Progress != nil {
			r.Progress(n, total)
		}
	}
	found := strategies.Search(ctx, p, r.Space, strategies.Options{Top: rivals})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	done(1)
	out := &Result{Request: r}
	if err := out.choose(found); err != nil {
		return nil, err
	}
	out.Knobs = Turns(p, &out.Base)
	for i, f := range used {
		x, err := f.swing(ctx, r, &out.Base, out.First)
		if err != nil {
			return nil, err
		}
		out.Figures = append(out.Figures, *x)
		done(i + 2)
	}
	err := out.thresholds(ctx, found)
	done(total)
	return out, err
}

// choose takes the layout asked for, or the first of the ranking.
func (r *Result) choose(found *strategies.Result) error {
	if len(found.Ranking) > 0 {
		r.First = &found.Ranking[0]
	}
	switch {
	case r.Framework != nil:
		r.Base = r.Answer.Problem.Estimate(r.Layout, r.Framework)
	case r.First != nil:
		r.Base = *r.First
	default:
		return errors.New("no layout fits: give one with --layout; planner suggest says what would mend it")
	}
	bands.Fill(r.Answer.Problem, &r.Base)
	return nil
}

// Stands says how a changed layout compares with the chosen one.
func (r *Result) Stands(k *Knob) string {
	switch e := k.Estimate; {
	case e == nil:
		return "not legal"
	case !e.Fits:
		return "does not fit"
	case e.Step < r.Base.Step.Times(1-strategies.Resolution):
		return "faster"
	case e.Step <= r.Base.Step.Times(1+strategies.Resolution):
		return "tie"
	}
	return "slower"
}
