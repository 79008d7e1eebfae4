package main

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"planner/internal/ask"
	"planner/internal/catalog"
	"planner/internal/settings"
	"planner/internal/show"
)

func newConfig() *cobra.Command {
	o := &form{}
	c := &cobra.Command{
		Use:     "config",
		Short:   "Show every default and where it came from",
		Example: "  planner config\n  PLANNER_HARDWARE=b200-sxm planner config --format json",
		Args:    unknownCommand,
		RunE:    func(c *cobra.Command, _ []string) error { return runConfig(c, o) },
	}
	o.addFormat(c, c.Flags())
	return c
}

// builtIn are the values that hold when nothing else is given.
var builtIn = map[string]string{"hardware": ask.DefaultHardware, "seq-len": "8192, or the model's maximum", "precision": ask.DefaultPrecision,
	"global-batch": "4 to 16 Mi tokens", "framework": ask.DefaultFramework, "pass": "train", "format": "table", "top": "10",
	"attention": "the accelerator's usual kernel", "max-memory": "what the driver lets a process use"}

func runConfig(c *cobra.Command, o *form) error {
	if err := o.formatted(c); err != nil {
		return err
	}
	saved, err := settings.Load(settable)
	if err != nil {
		return err
	}
	var list []settings.Value
	for _, key := range settable {
		v, ok := saved[key]
		if !ok {
			v = settings.Value{Key: key, Value: builtIn[key], Origin: "built in"}
			if v.Value == "" {
				v.Origin = "not set"
			}
		}
		list = append(list, v)
	}
	if o.format == "json" {
		return show.JSON(c.OutOrStdout(), list)
	}
	show.Settings(c.OutOrStdout(), o.format, list)
	show.Note(c.ErrOrStderr(), "order", "flag, environment PLANNER_*, %s here, %s", settings.ProjectFile, settings.UserFile())
	return wrong(saved)
}

// wrong lists the saved values that no command would take, each asked alone of
// the saved model, or of one that takes most.
func wrong(saved settings.Set) error {
	all := &catalog.Error{}
	model := saved["model"].Value
	if _, err := catalog.Model(model); err != nil {
		model = "70b"
	}
	for _, key := range settable {
		v, ok := saved[key]
		if !ok {
			continue
		}
		var fault *catalog.Error
		if errors.As(tryValue(v, model), &fault) {
			for _, line := range fault.Faults {
				all.Faults = append(all.Faults, v.Origin+": "+strings.TrimPrefix(line, v.Origin+": "))
			}
		}
	}
	if len(all.Faults) == 0 {
		return nil
	}
	return all
}

// tryValue asks a question with one saved value.
func tryValue(v settings.Value, model string) error {
	o := &suggestFlags{}
	c := suggestCommand(o)
	giveOnce(c)
	o.Model, o.GPUs = model, 1024
	flag := c.Flags().Lookup(v.Key)
	if err := c.Flags().Set(v.Key, v.Value); err != nil || v.Value == "" {
		return notSettable(v, flag)
	}
	if flag.Name == "gpus" && o.GPUs < 1 {
		return catalog.Errorf("--gpus %d: too small: want 1 to 1,048,576", o.GPUs)
	}
	if err := o.given(c.Flags()); err != nil {
		return err
	}
	if _, err := ask.Ask(o.Question); err != nil {
		return err
	}
	if o.top < 1 {
		return catalog.Errorf("--top %d: too small: want at least 1", o.top)
	}
	return nil
}
