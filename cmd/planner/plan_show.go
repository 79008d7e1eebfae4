package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"planner/internal/compare"
	"planner/internal/plan"
	"planner/internal/show"
)

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
