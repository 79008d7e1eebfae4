package main

import (
	"errors"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"planner/internal/catalog"
	"planner/internal/compare"
	"planner/internal/show"
)

func newCompare() *cobra.Command {
	q := &question{}
	c := &cobra.Command{
		Use:   "compare A B...",
		Short: "Hold layouts, hardware, models or saved plans side by side",
		Long: `compare shows every term of two or more plans, what differs, which is better where the model can tell,
and why. Each argument is a layout, key=value overrides of the question (model, gpus, hardware, seq-len,
global-batch, precision, framework, inter-node …), both, the word best, or a file: plan.toml, the JSON of
suggest or explain, or a report. Without a layout the best one is searched for. Files are compared as saved.`,
		Example: `  planner compare tp=4,pp=4,vpp=10,zero=1 tp=8,zero=3,mbs=2 --model 70b --gpus 1024
  planner compare hardware=h100-sxm-80gb hardware=b200-sxm --model 70b --gpus 1024
  planner compare plan.toml best --model 70b --gpus 1024
  planner compare before.json after.json --format json`,
		RunE: func(c *cobra.Command, args []string) error { return runCompare(c, q, args) },
	}
	q.addTo(c)
	q.addFormat(c, c.Flags())
	c.SetFlagErrorFunc(sideError)
	return c
}

// sideError says of --layout, which other commands take, that here layouts are
// arguments.
func sideError(c *cobra.Command, err error) error {
	var missing *pflag.NotExistError
	if errors.As(err, &missing) && missing.GetSpecifiedName() == "layout" {
		return catalog.Errorf("unknown flag %q: layouts are arguments, two or more, e.g. planner compare tp=8,pp=4,zero=1 best --model 70b --gpus 1024", "--layout")
	}
	return flagError(c, err)
}

// maxSides keeps the table within a screen.
const maxSides = 6

func runCompare(c *cobra.Command, q *question, args []string) error {
	switch {
	case len(args) < 2:
		return catalog.Errorf("compare: %d given: want two or more of a layout, key=value, best or a file", len(args))
	case len(args) > maxSides:
		return catalog.Errorf("compare: %d given: want at most %d", len(args), maxSides)
	}
	if err := q.prepare(c); err != nil {
		return err
	}
	var sides []compare.Side
	for _, arg := range args {
		s, err := compare.Resolve(c.Context(), q.Question, arg)
		if err != nil {
			return err
		}
		sides = append(sides, *s)
	}
	if c.Context().Err() != nil {
		return &noError{"interrupted"}
	}
	result := compare.Of(sides)
	if q.format == "json" {
		return show.JSON(c.OutOrStdout(), compare.NewDocument(result))
	}
	compare.Show(c.OutOrStdout(), q.format, result)
	compare.Notes(c.ErrOrStderr(), result)
	return nil
}
