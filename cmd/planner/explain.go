package main

import (
	"github.com/spf13/cobra"

	"planner/internal/ask"
	"planner/internal/catalog"
	"planner/internal/plan"
	"planner/internal/show"
	"planner/strategies"
)

type explainFlags struct {
	question
	layout, stage, from string
}

func newExplain() *cobra.Command {
	o := &explainFlags{}
	c := &cobra.Command{
		Use:   "explain",
		Short: "Show every call, byte and formula behind one layout",
		Example: `  planner explain --model 70b --gpus 1024 --layout tp=4,pp=4,vpp=5,zero=1
  planner explain --model llama3.1-70b --gpus 1024 --seq-len 8192 --global-batch 1024 --framework megatron --layout tp=8,pp=4,zero=1
  planner explain --model 70b --gpus 1024 --layout tp=8,pp=4,zero=1 --format json
  planner explain --from review.html`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error { return runExplain(c, o) },
	}
	o.addTo(c)
	o.addFormat(c, c.Flags())
	c.Flags().StringVar(&o.layout, "layout", "", "layout, e.g. tp=8,pp=4,zero=1 (see planner parallelism), or best")
	c.Flags().StringVar(&o.from, "from", "", "take question and layout from a plan.toml, the JSON of suggest or explain, or a report")
	c.Flags().StringVar(&o.stage, "stage", "slowest", "pipeline stage whose calls the table shows: a number, slowest or all")
	return c
}

func runExplain(c *cobra.Command, o *explainFlags) error {
	a, x, err := o.explanation(c)
	if err != nil {
		return err
	}
	out := c.OutOrStdout()
	switch o.format {
	case "json":
		return show.JSON(out, show.NewExplanation(a, x))
	case "csv", "markdown":
		calls, err := show.CallsOf(x, o.stage)
		if err != nil {
			return err
		}
		show.Calls(out, o.format, calls)
		return nil
	}
	if err := show.Explain(out, a, x, o.stage); err != nil {
		return err
	}
	show.Chosen(c.ErrOrStderr(), a)
	for _, w := range show.ExplainWarnings(a, x) {
		show.Note(c.ErrOrStderr(), "note", "%s", w)
	}
	if !x.Fits {
		show.Note(c.ErrOrStderr(), "does not fit", "%.1f GiB short", (x.Memory.Total() - a.Problem.Capacity()).GiB())
	}
	return nil
}

// explanation answers a layout that was given, or one that a file holds.
func (o *explainFlags) explanation(c *cobra.Command) (*ask.Answer, *strategies.Explanation, error) {
	switch {
	case o.from != "" && o.layout != "":
		return nil, nil, catalog.Errorf("--from %s and --layout %s: two layouts: give one", o.from, o.layout)
	case o.from != "":
		if err := refuseAnswered(c.Flags(), "--from "+o.from, answersAll()); err != nil {
			return nil, nil, err
		}
		if err := o.formatted(c); err != nil {
			return nil, nil, err
		}
		saved, err := plan.Read(o.from)
		if err != nil {
			return nil, nil, err
		}
		return saved.Estimate()
	}
	a, err := o.answer(c)
	if err != nil {
		return nil, nil, err
	}
	if o.layout == "" {
		return nil, nil, catalog.Errorf("--layout: missing: give a layout, e.g. --layout tp=8,pp=4,zero=1, or best; planner suggest finds good ones")
	}
	l, f, err := layoutOf(c, a, o.layout)
	if err != nil {
		return nil, nil, err
	}
	return a, a.Explain(l, f), nil
}
