package main

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"planner/internal/ask"
	"planner/internal/catalog"
	"planner/internal/export"
	review "planner/internal/report"
	"planner/internal/show"
	"planner/internal/verdict"
)

type reportFlags struct {
	question
	layout, output, verified string
	tokens, price            string
}

func newReport() *cobra.Command {
	o := &reportFlags{}
	c := &cobra.Command{
		Use:   "report",
		Short: "Write one HTML page for a design review",
		Long: `report writes one self-contained page for a design review: the question, the recommended layout and its
band, alternatives and why not, where the peak goes, memory, calls, placement, pipeline, scaling,
sensitivity, and every assumption with its source. The page needs no network and holds its data, so that
planner explain --from reads it back. A name that ends in .md, or --format markdown, gives Markdown.`,
		Example: `  planner report --model 70b --gpus 1024 -o review.html
  planner report --model 70b --gpus 1024 --layout tp=8,pp=4,zero=1 --tokens 15T --price 2.50 -o review.html
  planner report --model 8b --gpus 64 --format markdown`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error { return runReport(c, o) },
	}
	o.addTo(c)
	o.addFormat(c, c.Flags())
	f := c.Flags()
	addConstraints(f, &o.Limits)
	f.Lookup("format").Usage = "html or markdown (default by the name of -o, html)"
	f.StringVar(&o.layout, "layout", "", "layout to review, e.g. tp=8,pp=4,zero=1, or best (the default)")
	f.StringVarP(&o.output, "output", "o", "", "file to write, whole or not at all; - for standard output, the default but for a page on a terminal")
	f.StringVar(&o.verified, "verified", "", "what planner verify --format json found")
	f.StringVar(&o.tokens, "tokens", "", "tokens of the training run that is costed, e.g. 15T (default 1T)")
	f.StringVar(&o.price, "price", "", "US dollars of a GPU hour, e.g. 2.50 (default: the cluster preset's, if it has one)")
	return c
}

func runReport(c *cobra.Command, o *reportFlags) error {
	format, err := o.reportFormat(c.Flags())
	if err != nil {
		return err
	}
	if format == "html" && o.output == "" && terminal(c.OutOrStdout()) != nil {
		return catalog.Errorf("--output: missing, and a page is nothing to read on a terminal: give a file, e.g. -o review.html, or -o - all the same")
	}
	a, err := o.answer(c)
	if err != nil {
		return err
	}
	q, err := o.request(c, a)
	if err != nil {
		return err
	}
	bar := progress(c.ErrOrStderr())
	q.Progress = bar.say
	r, err := review.Make(c.Context(), a, q)
	bar.clear()
	var none *review.NoFit
	switch {
	case err != nil && c.Context().Err() != nil:
		return errInterrupted
	case errors.As(err, &none):
		if n := ask.NearestOf(a, none.Result); n != nil {
			show.Nearest(c.ErrOrStderr(), a, n)
		}
		return &noError{none.Error()}
	case err != nil:
		return err
	}
	return writeReport(c, o, format, r)
}

// reportFormat takes --format, else the name of the file. The other formats of
// the common flags make no page.
func (o *reportFlags) reportFormat(f *pflag.FlagSet) (string, error) {
	given := o.format
	o.format = ""
	switch {
	case !f.Changed("format"):
		if ext := filepath.Ext(o.output); ext == ".md" || ext == ".markdown" {
			return "markdown", nil
		}
		return "html", nil
	case given == "html" || given == "markdown":
		return given, nil
	}
	return "", catalog.Errorf("--format %q: no such format of a report: want html or markdown", given)
}

func (o *reportFlags) request(c *cobra.Command, a *ask.Answer) (q review.Request, err error) {
	q = review.Request{Layout: o.layout, Space: a.Space(), Limits: a.Limits.Words(), Command: commandLine(c), Version: shortVersion(), Date: time.Now()}
	if !export.IsOutput(o.output) {
		q.Output = quoted(o.output)
	}
	if searched(o.layout) {
		q.Layout = ""
	}
	if o.tokens != "" {
		if q.Tokens, err = parseTokens(o.tokens); err != nil {
			return q, err
		}
	}
	if o.price != "" {
		if q.Price, err = strconv.ParseFloat(o.price, 64); err != nil || !(q.Price > 0 && q.Price < 1e6) {
			return q, catalog.Errorf("--price %q: not a price: want US dollars of a GPU hour above 0, e.g. 2.50", o.price)
		}
	}
	if o.verified != "" {
		q.Verified, err = verdict.Load(o.verified)
	}
	return q, err
}

func writeReport(c *cobra.Command, o *reportFlags, format string, r *review.Review) error {
	var b bytes.Buffer
	write := review.HTML
	if format == "markdown" {
		write = review.Markdown
	}
	if err := write(&b, r); err != nil {
		return err
	}
	if saved, err := deliver(c, o.output, b.Bytes()); !saved {
		return err
	}
	show.Note(c.ErrOrStderr(), "report", "%s, %.0f kB: %s, MFU %s %%", o.output, float64(b.Len())/1e3, r.Pick.Layout, show.Percent(r.Answer.Problem.Rates(&r.Pick.Estimate).MFU))
	return nil
}

// commandLine repeats the flags that were given, so that it can be pasted.
func commandLine(c *cobra.Command) string {
	out := []string{c.CommandPath()}
	c.Flags().Visit(func(f *pflag.Flag) {
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		for _, v := range values {
			switch {
			case f.Value.Type() == "bool":
				out = append(out, fmt.Sprintf("--%s=%s", f.Name, v))
			default:
				out = append(out, "--"+f.Name, quoted(v))
			}
		}
	})
	return strings.Join(out, " ")
}

// quoted quotes a value for the shell where it must be.
func quoted(v string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || slices.Contains([]rune("-_=+,./:@%"), r)
	}
	if v != "" && strings.IndexFunc(v, func(r rune) bool { return !plain(r) }) < 0 {
		return v
	}
	return "'" + strings.ReplaceAll(v, "'", `'\''`) + "'"
}
