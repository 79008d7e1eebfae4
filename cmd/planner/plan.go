package main

import (
	"time"

	"github.com/spf13/cobra"

	"planner/internal/plan"
	"planner/internal/show"
)

type planFlags struct {
	question
	layout, output string
	write          bool
}

func newPlan() *cobra.Command {
	c := &cobra.Command{
		Use:   "plan",
		Short: "Save a plan in a file, show it, ask it again",
		Example: `  planner plan save --model 70b --gpus 1024 --layout tp=4,pp=4,vpp=10,zero=1 -o plan.toml
  planner plan show plan.toml
  planner plan rerun plan.toml          what moved since, and whether another layout is best now`,
		Args: unknownCommand,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newPlanSave(), newPlanShow(), newPlanRerun())
	return c
}

func newPlanSave() *cobra.Command {
	o := &planFlags{}
	c := &cobra.Command{
		Use:   "save",
		Short: "Write the question, a layout and its prediction as TOML",
		Example: `  planner plan save --model 70b --gpus 1024 -o plan.toml                     the best layout
  planner plan save --model 70b --gpus 1024 --layout tp=4,pp=4,vpp=10,zero=1 -o plan.toml`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error { return savePlan(c, o) },
	}
	o.addTo(c)
	addConstraints(c.Flags(), &o.Limits)
	c.Flags().StringVar(&o.layout, "layout", "", "layout, e.g. tp=8,pp=4,zero=1, or best (the default)")
	c.Flags().StringVarP(&o.output, "output", "o", "", "file to write, whole or not at all; - for standard output (the default)")
	return c
}

func savePlan(c *cobra.Command, o *planFlags) error {
	if err := plan.CheckName(o.output); err != nil {
		return err
	}
	a, err := o.answer(c)
	if err != nil {
		return err
	}
	e, err := chosen(c, a, o.layout)
	if err != nil {
		return err
	}
	text := plan.New(a, e, shortVersion(), time.Now()).Encode()
	if saved, err := deliver(c, o.output, text); !saved {
		return err
	}
	show.Note(c.ErrOrStderr(), "saved", "%s · %s", e.Layout, predicted(a.Problem, e))
	show.Note(c.ErrOrStderr(), "next", "planner check %s --min-mfu %.2f", o.output, 0.95*a.Problem.Rates(e).MFU)
	return nil
}
