package main

import (
	"context"
	"errors"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"planner/hardware/unit"
	"planner/internal/catalog"
	"planner/internal/diagnose"
	"planner/internal/show"
)

type diagnoseFlags struct {
	question
	step   float64
	shares []string
}

func newDiagnose() *cobra.Command {
	o := &diagnoseFlags{}
	c := &cobra.Command{
		Use:   "diagnose FILE|LAYOUT",
		Short: "What to expect of an existing configuration, and what is wrong with it",
		Long: `diagnose reads a DeepSpeed JSON, Megatron arguments (a file, a launch script or YAML), a torchtitan TOML,
a plan, JSON or report that planner wrote, or a layout string, and says what the model expects of it, which
term could explain a measured step, what is mis-set, and which better layout is near. What the file does not
say, flags do. A profiler's share of the step (--share) is answered by the 30 % rule: likely cause, knob, its
effect.`,
		Example: `  planner diagnose ds_config.json --model 8b --gpus 64
  planner diagnose train.sh --gpus 1024 --step-seconds 8.2
  planner diagnose pretrain.yaml --gpus 8 --hardware mi300x --share all_gather=35%
  planner diagnose tp=8,pp=4,zero=1 --model 70b --gpus 1024 --step-seconds 9.5`,
		Args: oneArgument("a configuration file or a layout"),
		RunE: func(c *cobra.Command, args []string) error { return runDiagnose(c, o, args[0]) },
	}
	o.addTo(c)
	o.addFormat(c, c.Flags())
	c.Flags().Float64Var(&o.step, "step-seconds", 0, "measured time of a step")
	c.Flags().StringArrayVar(&o.shares, "share", nil, "a profiler's share of the step, e.g. all_reduce=35%; can be repeated")
	return c
}

func runDiagnose(c *cobra.Command, o *diagnoseFlags, name string) error {
	r, err := o.measured(c.Flags())
	if err != nil {
		return err
	}
	config, err := diagnose.Read(name)
	if err != nil {
		return err
	}
	if err := o.rest(c, name, config); err != nil {
		return err
	}
	s, err := diagnose.Resolve(config, o.Question)
	if err != nil {
		return err
	}
	d, err := diagnose.Run(c.Context(), s, r)
	switch {
	case errors.Is(err, context.Canceled):
		return &noError{"interrupted"}
	case err != nil:
		return err
	}
	if o.format == "json" {
		return show.JSON(c.OutOrStdout(), diagnose.NewDocument(d))
	}
	if o.format != "table" {
		return catalog.Errorf("--format %s: a diagnosis is prose: want table or json", o.format)
	}
	diagnose.Show(c.OutOrStdout(), d)
	return nil
}

// measured reads the flags that say what was measured.
func (o *diagnoseFlags) measured(f *pflag.FlagSet) (*diagnose.Request, error) {
	r := &diagnose.Request{Measured: unit.Seconds(o.step)}
	if g := f.Lookup("step-seconds"); g.Changed && !(o.step >= 1e-6 && o.step < 1e9) {
		return nil, catalog.Errorf("--step-seconds %v: not the time of a step: want seconds, 1e-6 to 1e9", g.Value)
	}
	var err error
	r.Shares, err = diagnose.ParseShares(o.shares)
	return r, err
}

// rest resolves what the file does not say: flags first, then saved defaults.
func (o *diagnoseFlags) rest(c *cobra.Command, name string, config *diagnose.Config) error {
	asks := answersAll()
	says := func(flag string) bool { return asks(flag) && config.Answers(flag) }
	stated := func(flag string) bool { return asks(flag) && config.States(flag) }
	if err := refuseAnswered(c.Flags(), name, stated); err != nil {
		return err
	}
	if err := applySettings(c.Flags(), slices.DeleteFunc(slices.Clone(settable), says)); err != nil {
		return err
	}
	if f := c.Flags().Lookup("gpus"); f.Changed && o.GPUs < 1 {
		return catalog.Errorf("--gpus %d: too small: want 1 to 1,048,576", o.GPUs)
	}
	return o.given(c.Flags())
}
