package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"planner/hardware/unit"
	"planner/internal/ask"
	"planner/internal/catalog"
	"planner/internal/plan"
	"planner/internal/show"
)

type checkFlags struct {
	form
	maxMemory, maxStep       string
	minMFU, minTokens, drift float64
}

func newCheck() *cobra.Command {
	o := &checkFlags{}
	c := &cobra.Command{
		Use:   "check FILE...",
		Short: "Hold saved plans against limits, for continuous integration",
		Long: `check predicts each saved plan anew with today's presets and holds it against the limits. It exits 0
when every plan keeps to all of them, 1 when one does not, 2 when a file or a limit is wrong.`,
		Example: `  planner check plan.toml --min-mfu 0.40 --max-memory 72GiB
  planner check plans/*.toml --max-drift 0.05 --format json`,
		RunE: func(c *cobra.Command, args []string) error { return runCheck(c, o, args) },
	}
	f := c.Flags()
	f.Float64Var(&o.minMFU, "min-mfu", 0, "least MFU as a fraction, e.g. 0.40")
	f.StringVar(&o.maxMemory, "max-memory", "", "most memory of one GPU, e.g. 72GiB")
	f.StringVar(&o.maxStep, "max-step", "", "longest step, e.g. 8.5s")
	f.Float64Var(&o.minTokens, "min-tokens", 0, "least tokens per second and GPU")
	f.Float64Var(&o.drift, "max-drift", 0, "largest change of the step since the plan was saved, as a fraction, e.g. 0.05; 0 allows none")
	o.addFormat(c, f)
	return c
}

// limits reads the flags.
func (o *checkFlags) limits() (l plan.Limits, err error) {
	l = plan.Limits{MinMFU: o.minMFU, MinTokens: o.minTokens, MaxDrift: o.drift}
	switch {
	case !(o.minMFU >= 0 && o.minMFU <= 1):
		return l, catalog.Errorf("--min-mfu %g: not a fraction: want 0 to 1, e.g. 0.40", o.minMFU)
	case !(o.minTokens >= 0 && o.minTokens < 1e12):
		return l, catalog.Errorf("--min-tokens %g: out of range: want tokens per second and GPU", o.minTokens)
	case !(o.drift >= 0 && o.drift <= 10):
		return l, catalog.Errorf("--max-drift %g: not a fraction: want e.g. 0.05", o.drift)
	}
	if o.maxMemory != "" {
		if l.MaxMemory, err = ask.MemoryLimit(o.maxMemory); err != nil {
			return l, err
		}
	}
	if o.maxStep != "" {
		if l.MaxStep, err = unit.ParseSeconds(o.maxStep); err != nil {
			return l, catalog.Errorf("--max-step %s", err)
		}
		if l.MaxStep == 0 {
			return l, catalog.Errorf("--max-step %q: no step takes 0: want e.g. 8.2s", o.maxStep)
		}
	}
	return l, nil
}

// checkedPlan is the document of one plan.
type checkedPlan struct {
	File   string         `json:"file"`
	Layout string         `json:"layout"`
	OK     bool           `json:"ok"`
	Checks []plan.Verdict `json:"checks"`
	Now    plan.Figures   `json:"predicted"`
	Saved  plan.Figures   `json:"saved"`
}

func runCheck(c *cobra.Command, o *checkFlags, files []string) error {
	if err := o.formatted(c); err != nil {
		return err
	}
	if len(files) == 0 {
		return catalog.Errorf("check: nothing given: want saved plans, e.g. planner check plan.toml --min-mfu 0.40")
	}
	limits, err := o.limits()
	limits.HoldDrift = c.Flags().Changed("max-drift")
	if err != nil {
		return err
	}
	var docs []checkedPlan
	failed := 0
	for _, file := range files {
		d, err := checkFile(c, file, limits)
		if err != nil {
			return err
		}
		if !d.OK {
			failed++
		}
		docs = append(docs, *d)
	}
	if err := showChecks(c, o.format, docs); err != nil {
		return err
	}
	if failed > 0 {
		return &noError{fmt.Sprintf("%d of %d plans failed", failed, len(files))}
	}
	return nil
}

func checkFile(c *cobra.Command, file string, limits plan.Limits) (*checkedPlan, error) {
	p, err := plan.Read(file)
	if err != nil {
		return nil, err
	}
	a, x, err := p.Estimate()
	if err != nil {
		return nil, err
	}
	copies(c, a)
	now := plan.FiguresOf(a.Problem, &x.Estimate)
	d := &checkedPlan{File: file, Layout: p.Layout, OK: true, Checks: limits.Check(now, p.Predicted), Now: now, Saved: p.Predicted}
	for _, v := range d.Checks {
		d.OK = d.OK && v.OK
	}
	return d, nil
}

func showChecks(c *cobra.Command, format string, docs []checkedPlan) error {
	if format == "json" {
		return show.JSON(c.OutOrStdout(), struct {
			SchemaVersion int           `json:"schema_version"`
			Plans         []checkedPlan `json:"plans"`
		}{show.SchemaVersion, docs})
	}
	var rows [][]string
	for _, d := range docs {
		for _, v := range d.Checks {
			rows = append(rows, v.Row(d.File))
		}
	}
	plan.Table(c.OutOrStdout(), format, rows)
	return nil
}
