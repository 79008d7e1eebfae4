package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"planner/internal/sensitivity"
	"planner/internal/show"
)

type sensitivityFlags struct {
	question
	layout string
}

func newSensitivity() *cobra.Command {
	o := &sensitivityFlags{}
	c := &cobra.Command{
		Use:   "sensitivity",
		Short: "What each knob and each hardware figure does to a layout",
		Long: `sensitivity turns each knob of a layout to its next legal value, both ways, and changes each figure of
the hardware by ±10 %, searching again each time: how the step moves, and whether another layout would be
first. Last it looks for the bandwidth and memory below which the choice changes.

One knob moves at a time, under the framework of the layout, and takes along what must follow: dp; shard where
it was all of the data-parallel ranks or no longer divides them; with pp and vpp the split of the layers (first,
last) where it no longer fits, and vpp where none fits.`,
		Example: `  planner sensitivity --model 70b --gpus 1024
  planner sensitivity --model 70b --gpus 1024 --layout tp=4,pp=4,vpp=10,zero=1
  planner sensitivity --model 8b --gpus 64 --format json`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error { return runSensitivity(c, o) },
	}
	o.addTo(c)
	o.addFormat(c, c.Flags())
	addConstraints(c.Flags(), &o.Limits)
	c.Flags().StringVar(&o.layout, "layout", "", "layout, e.g. tp=8,pp=4,zero=1, or best (the default)")
	return c
}

func runSensitivity(c *cobra.Command, o *sensitivityFlags) error {
	a, err := o.answer(c)
	if err != nil {
		return err
	}
	bar := progress(c.ErrOrStderr())
	r := &sensitivity.Request{Answer: a, Space: a.Space(), Progress: func(done, of int) { bar.points(done, of) }}
	if !searched(o.layout) {
		if r.Layout, r.Framework, err = a.Layout(o.layout); err != nil {
			return err
		}
	}
	result, err := sensitivity.Run(c.Context(), r)
	bar.clear()
	switch {
	case errors.Is(err, context.Canceled):
		return &noError{"interrupted"}
	case err != nil:
		return err
	}
	if o.format == "json" {
		return show.JSON(c.OutOrStdout(), sensitivity.NewDocument(result))
	}
	if o.format == "table" {
		show.Header(c.OutOrStdout(), a)
	}
	sensitivity.Show(c.OutOrStdout(), o.format, result)
	if f := result.First; f != nil && f.Layout != result.Base.Layout {
		show.Note(c.ErrOrStderr(), "first", "of the ranking is %s, %.3f s", f.Layout, f.Step)
	}
	return nil
}
