package validate

import (
	"math"

	"planner/internal/bands"
	"planner/strategies"
)

// RunResult is one row of the report on a table of runs.
type RunResult struct {
	Line        int               `json:"line"`
	ID          string            `json:"run_id"`
	Group       string            `json:"group,omitempty"`
	Source      string            `json:"source,omitempty"`
	Framework   string            `json:"framework"`
	Layout      string            `json:"layout"`
	Step        float64           `json:"predicted_step_seconds"`
	Low         float64           `json:"predicted_step_seconds_low"`
	High        float64           `json:"predicted_step_seconds_high"`
	Measured    *float64          `json:"measured_step_seconds"`
	Memory      float64           `json:"predicted_memory_gib"`
	MeasuredMem *float64          `json:"measured_memory_gib"`
	MemoryKind  string            `json:"memory_kind,omitempty"`
	Fits        bool              `json:"predicted_fits"`
	Marginal    bool              `json:"marginal"`
	Outcome     string            `json:"outcome"`
	Assumed     map[string]string `json:"assumed"`
	Skipped     string            `json:"skipped"`

	Case     *Case               `json:"-"`
	Estimate strategies.Estimate `json:"-"`
}

// Report holds predictions of a table of runs against its measurements.
type Report struct {
	Rows    []RunResult `json:"rows"`
	Summary RunSummary  `json:"summary"`
	Ignored []string    `json:"ignored_columns,omitempty"` // of the table: no prediction reads them
}

// marginal is the distance from capacity within which fits and OOM are told
// apart badly: docs/MEMORY.md, section 4, says how often rightly.
const marginal = 0.05

// Runs predicts every run. The prediction of a row reads its configuration
// columns alone.
func Runs(runs []Run) *Report { return RunsBy(runs, (*Case).Estimate) }

// RunsBy is Runs with another way to predict a case: constants that no preset
// has yet.
func RunsBy(runs []Run, estimate func(*Case) (*strategies.Problem, strategies.Estimate)) *Report {
	return NewBuilder().Runs(runs, estimate)
}

// Runs is RunsBy for the cases that b builds.
func (b *Builder) Runs(runs []Run, estimate func(*Case) (*strategies.Problem, strategies.Estimate)) *Report {
	rep := &Report{Rows: make([]RunResult, len(runs))}
	for i := range runs {
		c := b.Case(&runs[i])
		rep.Rows[i] = c.result(estimate)
	}
	rep.Summary = Summarise(rep.Rows)
	return rep
}

func (c *Case) result(estimate func(*Case) (*strategies.Problem, strategies.Estimate)) RunResult {
	r := c.Run
	res := RunResult{
		Line: r.Line, ID: r.ID, Group: r.Group, Source: r.Source, Framework: r.Framework, Outcome: r.Outcome,
		MemoryKind: r.MemoryKind, Assumed: c.Assumed, Skipped: c.Skipped, Case: c,
	}
	if r.Memory > 0 {
		res.MeasuredMem = &r.Memory
	}
	if t := c.MeasuredStep(); t > 0 {
		res.Measured = &t
	}
	if c.Skipped != "" {
		return res
	}
	p, e := estimate(c)
	bands.Fill(p, &e)
	res.fill(c, p, &e)
	return res
}

func (res *RunResult) fill(c *Case, p *strategies.Problem, e *strategies.Estimate) {
	res.Estimate = *e
	res.Layout = e.Layout.String()
	res.Step, res.Low, res.High = float64(e.Step), float64(e.Low), float64(e.High)
	res.Memory = c.Comparable(&e.Memory)
	res.Fits = e.Fits
	res.Marginal = math.Abs(float64(e.Memory.Total()/p.Capacity())-1) <= marginal
}

// MeasuredStep returns the measured seconds of a step: the column, or what
// tokens per second and GPU imply; 0 where the row has neither.
func (c *Case) MeasuredStep() float64 {
	r := c.Run
	switch {
	case r.Step > 0:
		return r.Step
	case r.Tokens > 0:
		return float64(r.GlobalBatch) * float64(r.Seq) / r.Tokens / float64(r.GPUs)
	}
	return 0
}
