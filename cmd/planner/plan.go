package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"planner/internal/ask"
	"planner/internal/catalog"
	"planner/internal/compare"
	"planner/internal/export"
	"planner/internal/plan"
	"planner/internal/show"
	"planner/strategies"
)

type planFlags struct {
	question
	layout, output string
	write          bool
}

func newPlan() *cobra.Command {
	c := &cobra.Command{
		Use:   "plan",
		Short: "Save a plan in a file, show it, ask it again",
		Example: `  planner plan save --model 70b --gpus 1024 --layout tp=4,pp=4,vpp=10,zero=1 -o plan.toml
  planner plan show plan.toml
  planner plan rerun plan.toml          what moved since, and whether another layout is best now`,
		Args: unknownCommand,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newPlanSave(), newPlanShow(), newPlanRerun())
	return c
}

func newPlanSave() *cobra.Command {
	o := &planFlags{}
	c := &cobra.Command{
		Use:   "save",
		Short: "Write the question, a layout and its prediction as TOML",
		Example: `  planner plan save --model 70b --gpus 1024 -o plan.toml                     the best layout
  planner plan save --model 70b --gpus 1024 --layout tp=4,pp=4,vpp=10,zero=1 -o plan.toml`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error { return savePlan(c, o) },
	}
	o.addTo(c)
	addConstraints(c.Flags(), &o.Limits)
	c.Flags().StringVar(&o.layout, "layout", "", "layout, e.g. tp=8,pp=4,zero=1, or best (the default)")
	c.Flags().StringVarP(&o.output, "output", "o", "", "file to write, whole or not at all; - for standard output (the default)")
	return c
}

func savePlan(c *cobra.Command, o *planFlags) error {
	if err := plan.CheckName(o.output); err != nil {
		return err
	}
	a, err := o.answer(c)
	if err != nil {
		return err
	}
	e, err := chosen(c, a, o.layout)
	if err != nil {
		return err
	}
	text := plan.New(a, e, shortVersion(), time.Now()).Encode()
	if export.IsOutput(o.output) {
		_, err := c.OutOrStdout().Write(text)
		return err
	}
	if err := export.WriteFile(o.output, text); err != nil {
		return err
	}
	show.Note(c.ErrOrStderr(), "saved", "%s · %s", e.Layout, predicted(a.Problem, e))
	show.Note(c.ErrOrStderr(), "next", "planner check %s --min-mfu %.2f", o.output, 0.95*a.Problem.Rates(e).MFU)
	return nil
}

func newPlanShow() *cobra.Command {
	o := &form{}
	c := &cobra.Command{
		Use:   "show FILE",
		Short: "Show what a plan asked, chose and predicted",
		Args:  oneArgument("a plan.toml, the JSON of suggest or explain, or a report"),
		RunE:  func(c *cobra.Command, args []string) error { return showPlan(c, o, args[0]) },
	}
	o.addFormat(c, c.Flags())
	return c
}

func showPlan(c *cobra.Command, o *form, file string) error {
	if err := o.formatted(c); err != nil {
		return err
	}
	p, err := plan.Read(file)
	if err != nil {
		return err
	}
	if o.format == "json" {
		return show.JSON(c.OutOrStdout(), planDoc(p))
	}
	if o.format == "table" {
		fmt.Fprintf(c.OutOrStdout(), "%s\nlayout %s · %s%s\n\n", compare.Line(&p.Question), p.Layout, p.Framework, savedBy(p))
	}
	var rows [][]string
	for _, t := range p.Predicted.Terms() {
		if t.Value != 0 {
			rows = append(rows, []string{t.Name, t.Text()})
		}
	}
	show.Table(c.OutOrStdout(), o.format, []show.Column{{Title: "predicted", Left: true}, {Title: "value"}}, rows)
	return nil
}

func savedBy(p *plan.Plan) string {
	if p.Saved == "" {
		return ""
	}
	return fmt.Sprintf(" · saved %s by planner %s", p.Saved, p.Planner)
}

// planDocument is a plan as JSON.
type planDocument struct {
	SchemaVersion int          `json:"schema_version"`
	Model         string       `json:"model"`
	GPUs          int          `json:"gpus"`
	Hardware      string       `json:"hardware"`
	SeqLen        int          `json:"seq_len"`
	GlobalBatch   int          `json:"global_batch"`
	Precision     string       `json:"precision"`
	Layout        string       `json:"layout"`
	Framework     string       `json:"framework"`
	Planner       string       `json:"planner"`
	Saved         string       `json:"saved"`
	Predicted     plan.Figures `json:"predicted"`
	Settings      []string     `json:"settings,omitempty"` // those that are not the default, in words
}

func planDoc(p *plan.Plan) planDocument {
	q := &p.Question
	return planDocument{show.SchemaVersion, q.Model, q.GPUs, q.Hardware, q.SeqLen, q.GlobalBatch, q.Precision, p.Layout, p.Framework, p.Planner, p.Saved, p.Predicted,
		compare.Settings(q)}
}

func newPlanRerun() *cobra.Command {
	o := &planFlags{}
	c := &cobra.Command{
		Use:     "rerun FILE",
		Short:   "Ask a plan again of today's presets: what moved, and what is best now",
		Example: "  planner plan rerun plan.toml\n  planner plan rerun plan.toml --write     and keep the new figures",
		Args:    oneArgument("a plan.toml, the JSON of suggest or explain, or a report"),
		RunE:    func(c *cobra.Command, args []string) error { return rerunPlan(c, o, args[0]) },
	}
	o.addFormat(c, c.Flags())
	c.Flags().BoolVar(&o.write, "write", false, "write the new figures into the plan")
	return c
}

func rerunPlan(c *cobra.Command, o *planFlags, file string) error {
	if err := o.formatted(c); err != nil {
		return err
	}
	p, err := plan.Read(file)
	if err != nil {
		return err
	}
	if o.write && p.From != "plan" {
		return catalog.Errorf("--write: %s is no plan.toml: want one that planner plan save wrote", file)
	}
	a, x, err := p.Estimate()
	if err != nil {
		return err
	}
	copies(c, a)
	now := plan.FiguresOf(a.Problem, &x.Estimate)
	best, err := bestNow(c, p)
	if err != nil {
		return err
	}
	if err := showMoves(c, o, p, now, best); err != nil || !o.write {
		return err
	}
	p.Predicted, p.Planner, p.Saved = now, shortVersion(), time.Now().Format(time.DateOnly)
	p.Question.Files = a.Files
	return export.WriteFile(file, p.Encode())
}

// copies says which files of a saved question were used.
func copies(c *cobra.Command, a *ask.Answer) {
	for _, text := range a.Copies {
		show.Note(c.ErrOrStderr(), "note", "%s", text)
	}
}

func showMoves(c *cobra.Command, o *planFlags, p *plan.Plan, now plan.Figures, best *strategies.Estimate) error {
	moves := plan.Moved(p.Predicted, now)
	if o.format == "json" {
		doc := struct {
			SchemaVersion int         `json:"schema_version"`
			Layout        string      `json:"layout"`
			Saved         string      `json:"saved"`
			Moved         []plan.Move `json:"moved"`
			Best          string      `json:"best_today,omitempty"`
			BestStep      float64     `json:"best_step_seconds,omitempty"`
		}{show.SchemaVersion, p.Layout, p.Saved, moves, "", 0}
		if best != nil {
			doc.Best, doc.BestStep = best.Layout.String(), float64(best.Step)
		}
		return show.JSON(c.OutOrStdout(), doc)
	}
	if o.format == "table" {
		fmt.Fprintf(c.OutOrStdout(), "layout %s · %s%s\n\n", p.Layout, p.Framework, savedBy(p))
	}
	plan.Moves(c.OutOrStdout(), o.format, moves)
	notes, of := c.ErrOrStderr(), "of the whole space"
	if only := p.Question.Limits.Words(); only != nil {
		of = "of " + strings.Join(only, ", ")
	}
	switch {
	case best == nil:
		show.Note(notes, "best today", "nothing fits")
	case best.Layout.String() == p.Layout:
		show.Note(notes, "best today", "this layout")
	case float64(best.Step) > now.Step*(1-strategies.Resolution):
		show.Note(notes, "best today", "%s %s, %.3f s: a tie with this layout", best.Layout, of, best.Step)
	default:
		show.Note(notes, "best today", "%s %s, %.3f s: %.1f %% faster", best.Layout, of, best.Step, 100*(1-float64(best.Step)/now.Step))
	}
	return nil
}
