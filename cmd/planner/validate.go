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
leaves blank takes the framework's default and is listed. docs/RUNS.md has the
columns of a table of runs.`,
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
	if v.plot != "" && rep.Nothing() == "" {
		if err := rep.Plot(v.plot); err != nil {
			return err
		}
	}
	if err := v.answer(c, rep); err != nil {
		return err
	}
	if v.published() || rep.Seen() {
		fmt.Fprintln(c.ErrOrStderr(), "note:", seen)
	}
	return nil
}

// seen says of the errors on the published runs that they are in-sample.
const seen = "the constants were fitted on these very runs, so the errors are optimistic: " +
	"docs/ACCURACY.md has them without a run's group (another layout on a known cluster) and without its source (a cluster never seen)"

// published reports whether the table is the one that comes with planner.
func (v *validation) published() bool { return v.runs == "" || v.runs == bundled }

// answer prints the report, and on standard error what it leaves out. Where no
// row is predicted, JSON alone has something to say.
func (v *validation) answer(c *cobra.Command, rep *validate.Report) error {
	nothing := rep.Nothing()
	switch {
	case v.format == "json":
		if err := show.JSON(c.OutOrStdout(), rep); err != nil {
			return err
		}
		noteIgnored(c, rep.Ignored)
	case nothing == "":
		show.Runs(c.OutOrStdout(), v.format, rep)
		for _, n := range rep.Notes() {
			fmt.Fprintln(c.ErrOrStderr(), "note:", n)
		}
	}
	if nothing != "" {
		return &noError{fmt.Sprintf("--runs %s: %s", v.runs, nothing)}
	}
	return nil
}

// noteIgnored says on standard error which columns of a table nothing reads.
func noteIgnored(c *cobra.Command, columns []string) {
	if n := validate.NoteIgnored(columns); n != "" {
		fmt.Fprintln(c.ErrOrStderr(), "note:", n)
	}
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
	if v.published() {
		runs, err := validate.BundledRuns()
		if err != nil {
			return nil, err
		}
		return validate.Runs(runs), nil
	}
	t, err := validate.RunsFile(v.runs)
	if err != nil {
		return nil, err
	}
	rep := validate.Runs(t.Runs)
	rep.Ignored = t.Ignored
	return rep, nil
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
