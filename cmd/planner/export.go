package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"planner/internal/ask"
	"planner/internal/catalog"
	"planner/internal/export"
	"planner/internal/plan"
	"planner/internal/show"
	"planner/strategies"
)

type exportFlags struct {
	question
	layout, to, output, from string
}

func newExport() *cobra.Command {
	o := &exportFlags{}
	c := &cobra.Command{
		Use:   "export",
		Short: "Write a layout as a framework's own settings",
		Long: `export writes a layout in the exact names of one release of a framework, with a header and a list of
what that framework cannot express. Without --layout it writes the fastest one that the target expresses, and
says so where it is not the best. A layout of which the target's file could not run is refused.`,
		Example: `  planner export --to megatron --model 70b --gpus 1024 --layout tp=4,pp=4,vpp=5,zero=1 -o megatron.args
  planner export --to deepspeed --model 8b --gpus 64 --layout zero=3,recompute=full -o ds_config.json
  planner export --to torchtitan --model 70b --gpus 256
  planner export --to megatron --from plan.toml
  planner export --to slurm --model 70b --gpus 1024 --layout tp=4,pp=4,vpp=5,zero=1`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error { return runExport(c, o) },
	}
	o.addTo(c)
	f := c.Flags()
	f.StringVar(&o.to, "to", "", strings.Join(export.Targets(), ", "))
	f.StringVar(&o.layout, "layout", "", "layout, e.g. tp=8,pp=4,zero=1, or best (the default): the fastest that the target expresses")
	f.StringVar(&o.from, "from", "", "take question and layout from a plan.toml, the JSON of suggest or explain, or a report")
	f.StringVarP(&o.output, "output", "o", "", "file to write, whole or not at all; - for standard output (the default)")
	complete(c, "to", export.Targets)
	return c
}

func runExport(c *cobra.Command, o *exportFlags) error {
	if o.to == "" {
		return catalog.Errorf("--to: missing: want %s", strings.Join(export.Targets(), ", "))
	}
	framework, err := export.Framework(o.to)
	if err != nil {
		return err
	}
	a, saved, err := o.asked(c)
	if err != nil {
		return err
	}
	p, why, err := exportPlan(c.Context(), o, a, framework)
	if err != nil {
		return saved.Named(err)
	}
	d, err := export.Export(o.to, p)
	if err != nil {
		return err
	}
	return writeExport(c, o, d, why)
}

// asked answers the question of the flags, or that of a saved plan, which
// has no file where there is none.
func (o *exportFlags) asked(c *cobra.Command) (*ask.Answer, *plan.Plan, error) {
	if o.from == "" {
		a, err := o.answer(c)
		return a, &plan.Plan{}, err
	}
	if o.layout != "" {
		return nil, nil, catalog.Errorf("--from %s and --layout %s: two layouts: give one", o.from, o.layout)
	}
	if err := refuseAnswered(c.Flags(), "--from "+o.from, answersAll()); err != nil {
		return nil, nil, err
	}
	saved, err := plan.Read(o.from)
	if err != nil {
		return nil, nil, err
	}
	o.layout = saved.Layout
	a, err := saved.Ask()
	if err == nil {
		copies(c, a)
	}
	return a, saved, err
}

// exportPlan finds the layout and the framework that runs it: the target's own
// where it can, else any, with the target's refusal kept; and why this layout,
// where it was searched for and is not the best.
func exportPlan(ctx context.Context, o *exportFlags, a *ask.Answer, framework string) (p *export.Plan, why string, err error) {
	p = &export.Plan{Problem: a.Problem, ModelRef: o.Model, Planner: shortVersion()}
	own := a
	if framework != "" && a.Framework == ask.DefaultFramework {
		q := a.Question
		q.Framework = framework
		if own, err = ask.Ask(q); err != nil {
			return nil, "", err
		}
	}
	if searched(o.layout) {
		found, err := expressible(ctx, own, o.to, *p)
		if err != nil {
			return nil, "", err
		}
		e := found.Estimate
		p.Layout, p.Profile, p.Predicted = e.Layout, e.Framework, predicted(own.Problem, e)
		return p, found.note(o.to), nil
	}
	l, f, err := own.Layout(o.layout)
	if err != nil && own != a {
		first := own.Problem.Profiles[0]
		if l, f, err = a.Layout(o.layout); err == nil {
			p.Refused = own.Problem.Check(&l, first)
		}
	}
	if err != nil {
		return nil, "", err
	}
	p.Layout, p.Profile, p.Predicted = l, f, predicted(a.Problem, &a.Explain(l, f).Estimate)
	return p, "", nil
}

// predicted says what a layout is expected to do, on one line.
func predicted(p *strategies.Problem, e *strategies.Estimate) string {
	band := ""
	if e.High > e.Low {
		band = fmt.Sprintf(" (80 %%: %.2f … %.2f)", e.Low, e.High)
	}
	s := fmt.Sprintf("step %.2f s%s, MFU %s %%, %.1f of %.1f GiB", e.Step, band, show.Percent(p.Rates(e).MFU), e.Memory.Total().GiB(), p.Capacity().GiB())
	if !e.Fits {
		s += ", does not fit"
	}
	return s
}

// shortVersion is the version without the compiler's.
func shortVersion() string {
	v, _, _ := strings.Cut(version(), " (")
	return v
}

func writeExport(c *cobra.Command, o *exportFlags, d *export.Document, why string) error {
	saved, err := deliver(c, o.output, []byte(d.Text))
	if err != nil {
		return err
	}
	if saved && !d.Comments && regular(o.output) {
		side := strings.TrimSuffix(o.output, ".json") + ".planner.txt"
		if err := export.WriteFile(side, []byte(d.SideFile())); err != nil {
			return err
		}
		show.Note(c.ErrOrStderr(), "header", "in %s, since the format has no comments", side)
	}
	notes := c.ErrOrStderr()
	show.Note(notes, "target", "%s", d.Target)
	if why != "" {
		show.Note(notes, "layout", "%s", why)
	}
	for _, m := range d.Missing {
		show.Note(notes, "cannot express", "%s", m)
	}
	for _, m := range d.Assumed {
		show.Note(notes, "assumed", "%s", m)
	}
	return nil
}

// regular reports whether a file that was written is one, not a device.
func regular(path string) bool {
	f, err := os.Stat(path)
	return err == nil && f.Mode().IsRegular()
}
