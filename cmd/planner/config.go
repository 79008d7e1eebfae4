package main

import (
	"github.com/spf13/cobra"

	"planner/internal/ask"
	"planner/internal/settings"
	"planner/internal/show"
)

func newConfig() *cobra.Command {
	q := &question{}
	c := &cobra.Command{
		Use:     "config",
		Short:   "Show every default and where it came from",
		Example: "  planner config\n  PLANNER_HARDWARE=b200-sxm planner config --format json",
		Args:    unknownCommand,
		RunE:    func(c *cobra.Command, _ []string) error { return runConfig(c, q) },
	}
	c.Flags().StringVar(&q.format, "format", "", "table, json, csv, markdown (default table)")
	return c
}

// builtIn are the values that hold when nothing else is given.
var builtIn = map[string]string{"hardware": ask.DefaultHardware, "seq-len": "8192, or the model's maximum", "precision": ask.DefaultPrecision,
	"global-batch": "4 to 16 Mi tokens", "framework": ask.DefaultFramework, "pass": "train", "format": "table", "top": "10",
	"attention": "the accelerator's usual kernel", "max-memory": "what the driver lets a process use"}

func runConfig(c *cobra.Command, q *question) error {
	if err := q.checkFormat(); err != nil {
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
	if q.format == "json" {
		return show.JSON(c.OutOrStdout(), list)
	}
	show.Settings(c.OutOrStdout(), q.format, list)
	show.Note(c.ErrOrStderr(), "order", "flag, environment PLANNER_*, %s here, %s", settings.ProjectFile, settings.UserFile())
	return nil
}
