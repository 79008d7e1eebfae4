package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"planner/internal/ask"
	"planner/internal/catalog"
	"planner/internal/export"
	"planner/internal/plan"
	"planner/internal/show"
	"planner/strategies"
)

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

// movesDocument is what moved, as JSON.
type movesDocument struct {
	SchemaVersion int         `json:"schema_version"`
	Layout        string      `json:"layout"`
	Saved         string      `json:"saved"`
	Moved         []plan.Move `json:"moved"`
	Best          string      `json:"best_today,omitempty"`
	BestStep      float64     `json:"best_step_seconds,omitempty"`
}

func showMoves(c *cobra.Command, o *planFlags, p *plan.Plan, now plan.Figures, best *strategies.Estimate) error {
	moves := plan.Moved(p.Predicted, now)
	if o.format == "json" {
		doc := movesDocument{SchemaVersion: show.SchemaVersion, Layout: p.Layout, Saved: p.Saved, Moved: moves}
		if best != nil {
			doc.Best, doc.BestStep = best.Layout.String(), float64(best.Step)
		}
		return show.JSON(c.OutOrStdout(), doc)
	}
	if o.format == "table" {
		fmt.Fprintf(c.OutOrStdout(), "layout %s · %s%s\n\n", p.Layout, p.Framework, savedBy(p))
	}
	plan.Moves(c.OutOrStdout(), o.format, moves)
	show.Note(c.ErrOrStderr(), "best today", "%s", bestToday(p, now, best))
	return nil
}

// bestToday says how the best layout of today stands to the plan's.
func bestToday(p *plan.Plan, now plan.Figures, best *strategies.Estimate) string {
	of := "of the whole space"
	if only := p.Question.Limits.Words(); only != nil {
		of = "of " + strings.Join(only, ", ")
	}
	switch {
	case best == nil:
		return "nothing fits"
	case best.Layout.String() == p.Layout:
		return "this layout"
	case float64(best.Step) > now.Step*(1-strategies.Resolution):
		return fmt.Sprintf("%s %s, %.3f s: a tie with this layout", best.Layout, of, best.Step)
	}
	return fmt.Sprintf("%s %s, %.3f s: %.1f %% faster", best.Layout, of, best.Step, 100*(1-float64(best.Step)/now.Step))
}
