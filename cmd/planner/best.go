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

// bestOf searches for the best layout of a question, nil where none fits.
func bestOf(ctx context.Context, a *ask.Answer) (*strategies.Estimate, error) {
	r := a.Search(ctx, strategies.Space{}, strategies.Options{Top: 1})
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
		err = &noError{"no layout fits: planner suggest says what would mend it"}
	}
	return e, err
}

// chosen estimates the layout given, or finds the best.
func chosen(c *cobra.Command, a *ask.Answer, layout string) (*strategies.Estimate, error) {
	if layout == "" {
		return bestThatFits(c.Context(), a)
	}
	l, f, err := a.Layout(layout)
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
