package main

import (
	"context"

	"github.com/spf13/cobra"

	"planner/internal/ask"
	"planner/internal/plan"
	"planner/strategies"
)

// errInterrupted ends a command that writes a file or a page: half a search
// would pass for a whole one there.
var errInterrupted = &noError{"interrupted: nothing was written"}

// errNoneFits ends a command that has nothing to say without a layout.
var errNoneFits = &noError{"no layout fits: planner suggest says what would mend it"}

// bestOf searches for the best layout of a question under its constraints, nil where none fits.
func bestOf(ctx context.Context, a *ask.Answer) (*strategies.Estimate, error) {
	r := a.Search(ctx, a.Space(), strategies.Options{Top: 1})
	switch {
	case r.Interrupted:
		return nil, errInterrupted
	case len(r.Ranking) == 0:
		return nil, nil
	}
	return &r.Ranking[0], nil
}

// bestThatFits is bestOf for commands that have nothing to say without one.
func bestThatFits(ctx context.Context, a *ask.Answer) (*strategies.Estimate, error) {
	e, err := bestOf(ctx, a)
	if e == nil && err == nil {
		err = errNoneFits
	}
	return e, err
}

// best is the word of --layout for the first of the ranking.
const best = "best"

// searched reports whether --layout leaves the layout to a search.
func searched(layout string) bool { return layout == "" || layout == best }

// layoutOf is the layout given with the framework that runs it, or the best.
func layoutOf(c *cobra.Command, a *ask.Answer, layout string) (strategies.Layout, *strategies.Profile, error) {
	if !searched(layout) {
		return a.Layout(layout)
	}
	e, err := bestThatFits(c.Context(), a)
	if err != nil {
		return strategies.Layout{}, nil, err
	}
	return e.Layout, e.Framework, nil
}

// chosen estimates the layout given, or the best.
func chosen(c *cobra.Command, a *ask.Answer, layout string) (*strategies.Estimate, error) {
	l, f, err := layoutOf(c, a, layout)
	if err != nil {
		return nil, err
	}
	e := a.Explain(l, f).Estimate
	return &e, nil
}

// bestNow searches the plan's own question again.
func bestNow(c *cobra.Command, p *plan.Plan) (*strategies.Estimate, error) {
	a, err := p.Ask()
	if err != nil {
		return nil, err
	}
	return bestOf(c.Context(), a)
}
