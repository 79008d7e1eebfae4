package main

import (
	"bytes"

	"github.com/spf13/cobra"

	"planner/internal/catalog"
	"planner/internal/show"
	"planner/internal/trace"
)

type traceFlags struct {
	question
	layout, output string
}

func newTrace() *cobra.Command {
	o := &traceFlags{}
	c := &cobra.Command{
		Use:   "trace",
		Short: "Write the predicted step for Perfetto or chrome://tracing",
		Long: `trace writes the predicted step as a timeline that ui.perfetto.dev and chrome://tracing open: pipeline
ranks as processes, compute and each axis of communication as tracks, arrows for sends, memory as counters.`,
		Example: `  planner trace -o step.json --model 70b --gpus 1024 --layout tp=4,pp=4,vpp=5,zero=1
  planner trace -o - --model 8b --gpus 8 --layout pp=4,zero=1 --global-batch 32 | gzip > step.json.gz`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error { return runTrace(c, o) },
	}
	o.addTo(c)
	f := c.Flags()
	f.StringVar(&o.layout, "layout", "", "layout, e.g. tp=8,pp=4,zero=1 (see planner parallelism), or best")
	f.StringVarP(&o.output, "output", "o", "", "file to write, whole or not at all; - for standard output")
	return c
}

func runTrace(c *cobra.Command, o *traceFlags) error {
	switch {
	case o.layout == "":
		return catalog.Errorf("--layout: missing: give a layout, e.g. --layout tp=8,pp=4,zero=1, or best; planner suggest finds good ones")
	case o.output == "":
		return catalog.Errorf("--output: missing: give a file, e.g. -o step.json, or - for standard output")
	}
	a, err := o.answer(c)
	if err != nil {
		return err
	}
	l, f, err := layoutOf(c, a, o.layout)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := trace.Step(&b, a.Problem, l, f); err != nil {
		return err
	}
	if saved, err := deliver(c, o.output, b.Bytes()); !saved {
		return err
	}
	show.Note(c.ErrOrStderr(), "wrote", "%s, %d KiB: open it in ui.perfetto.dev or chrome://tracing", o.output, b.Len()>>10)
	return nil
}
