package main

import (
	"bytes"
	"fmt"

	"github.com/spf13/cobra"

	"planner/internal/catalog"
	"planner/internal/show"
	"planner/internal/validate"
)

// validation is the flags of validate.
type validation struct {
	runs, collectives, plot, per, format string
}

func newValidate() *cobra.Command {
	v := &validation{}
	c := &cobra.Command{
		Use:   "validate",
		Short: "Hold predictions against measured runs or collectives",
		Long: `Hold predictions against measurements: training runs (--runs, the published
ones that come with planner unless a table is given) or collective calls
(--collectives). A prediction reads the configuration columns alone; what a row
leaves blank takes the framework's default and is listed.`,
		Example: `  planner validate
  planner validate --runs ours.tsv --plot ours.svg
  planner validate --runs ours.tsv --calibrate-per group:1 --format json
  planner validate --collectives nccl.tsv`,
		RunE: func(c *cobra.Command, args []string) error { return v.run(c, args) },
	}
	f := c.Flags()
	f.StringVar(&v.runs, "runs", "", "table of runs, tab separated (default: the published runs)")
	f.Lookup("runs").NoOptDefVal = bundled
	f.StringVar(&v.collectives, "collectives", "", "table of collective measurements, tab separated")
	f.StringVar(&v.plot, "plot", "", "draw predicted against measured steps: FILE.svg or FILE.png")
	f.StringVar(&v.per, "calibrate-per", "", "group:1 lets one run of each group set the factor of its cluster")
	f.StringVar(&v.format, "format", "table", "table, json, csv, markdown")
	return c
}

// bundled stands for the table that comes with planner.
const bundled = "published"

func (v *validation) run(c *cobra.Command, args []string) error {
	if err := v.file(args); err != nil {
		return err
	}
	switch v.format {
	case "table", "json", "csv", "markdown":
	default:
		return catalog.Errorf("--format %q: no such format: want table, json, csv or markdown", v.format)
	}
	if v.per != "" && v.per != "group:1" {
		return catalog.Errorf("--calibrate-per %q: not known: want group:1", v.per)
	}
	if v.collectives != "" {
		if c.Flags().Changed("runs") {
			return catalog.Errorf("--runs, --collectives: two tables: want one of them")
		}
		return v.calls(c)
	}
	rep, err := v.report()
	if err != nil {
		return err
	}
	if v.per != "" {
		rep.CalibratePer()
	}
	if v.plot != "" {
		if err := rep.Plot(v.plot); err != nil {
			return err
		}
	}
	if v.format == "json" {
		return show.JSON(c.OutOrStdout(), rep)
	}
	show.Runs(c.OutOrStdout(), v.format, rep)
	skipped(c, rep)
	return nil
}

// file takes the argument after a bare --runs as its file.
func (v *validation) file(args []string) error {
	switch {
	case len(args) == 0:
		return nil
	case args[0] == "":
		return catalog.Errorf("--runs %q: %v", args[0], errEmpty)
	case len(args) > 1:
		return catalog.Errorf("argument %q: not understood: want one table", args[1])
	case v.runs == bundled:
		v.runs = args[0]
		return nil
	}
	return catalog.Errorf("argument %q: not understood: want --runs %s or --collectives %s", args[0], args[0], args[0])
}

func (v *validation) report() (*validate.Report, error) {
	read := validate.BundledRuns
	if v.runs != "" && v.runs != bundled {
		read = func() ([]validate.Run, error) { return validate.RunsFile(v.runs) }
	}
	runs, err := read()
	if err != nil {
		return nil, err
	}
	return validate.Runs(runs), nil
}

// skipped says on standard error which rows have no prediction, and why.
func skipped(c *cobra.Command, rep *validate.Report) {
	for i := range rep.Rows {
		if r := &rep.Rows[i]; r.Skipped != "" {
			fmt.Fprintf(c.ErrOrStderr(), "note: line %d %s: skipped: %s\n", r.Line, r.ID, r.Skipped)
		}
	}
}

// calls holds predictions against collective measurements.
func (v *validation) calls(c *cobra.Command) error {
	text, err := catalog.ReadFile("tab-separated table of measurements", v.collectives)
	if err != nil {
		return err
	}
	rows, err := validate.ReadCollectives(v.collectives, bytes.NewReader(text))
	if err != nil {
		return err
	}
	k, err := catalog.Collectives()
	if err != nil {
		return err
	}
	rep, err := validate.Collectives(rows, k)
	if err != nil {
		return err
	}
	if v.format == "json" {
		return show.JSON(c.OutOrStdout(), rep)
	}
	show.Collectives(c.OutOrStdout(), v.format, rep)
	return nil
}
