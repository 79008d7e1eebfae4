// Package report writes one plan for a design review: a self-contained HTML
// page with its charts and data, or Markdown. It reads its own pages back.
package report

import (
	"context"
	"fmt"
	"time"

	"planner/hardware"
	"planner/internal/ask"
	"planner/internal/sensitivity"
	"planner/internal/verdict"
	"planner/strategies"
)

// Request is what a report needs beside the question.
type Request struct {
	Layout string // the layout to review; "": the best of the search
	Space  strategies.Space
	Limits []string // the constraints of Space, as they were typed
	// Tokens is the length of the training run that is costed, in tokens; 0:
	// DefaultTokens. Price is in US dollars a GPU-hour; 0: the cluster's own.
	Tokens, Price float64
	Verified      *verdict.Report // what a measurement said, or nil
	Command       string          // the command line, for readers who repeat it
	Output        string          // the file that is written, as a shell takes it; "": not known
	Version       string
	Date          time.Time
	Progress      func(what string)
}

// DefaultTokens is the run that is costed when none is given.
const DefaultTokens = 1e12

// Review is everything that a report shows. All estimates are of
// Answer.Problem.
type Review struct {
	Request
	Answer *ask.Answer
	Search *strategies.Result
	Pick   *strategies.Explanation

	Losses       []Loss
	Alternatives []Alternative
	Scaling      []Point
	Sensitivity  *sensitivity.Result
	Assumptions  []Assumption
	Cost         Cost
}

// kept is how many of the ranking are kept, so that alternatives that differ
// in more than a shard are among them.
const kept = 500

// NoFit is returned when no layout fits: there is nothing to recommend.
type NoFit struct{ Result *strategies.Result }

// Error says so.
func (*NoFit) Error() string { return "no layout fits: nothing to review" }

// Make answers a request. The error is *NoFit, a fault of the layout given, or
// the context's.
func Make(ctx context.Context, a *ask.Answer, q Request) (*Review, error) {
	r := &Review{Request: q, Answer: a}
	r.say("ranking layouts")
	r.Search = a.Search(ctx, q.Space, strategies.Options{Top: kept})
	if err := r.choose(); err != nil {
		return nil, err
	}
	r.Losses = losses(a.Problem, &r.Pick.Estimate)
	r.Alternatives = r.alternatives(ctx)
	r.Scaling = r.scaling(ctx)
	r.Cost = r.cost(a.Problem, &r.Pick.Estimate)
	r.Assumptions = r.assumptions()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var err error
	r.Sensitivity, err = sensitivity.Run(ctx, &sensitivity.Request{Answer: a, Space: q.Space, Layout: r.Pick.Layout, Framework: r.Pick.Framework,
		Progress: func(done, of int) { r.say(fmt.Sprintf("sensitivity, %d of %d", done, of)) }})
	return r, err
}

func (r *Review) say(what string) {
	if r.Progress != nil {
		r.Progress(what)
	}
}

func (r *Review) choose() error {
	if r.Layout == "" {
		if len(r.Search.Ranking) == 0 {
			return &NoFit{r.Search}
		}
		e := &r.Search.Ranking[0]
		r.Pick = r.Answer.Explain(e.Layout, e.Framework)
		return nil
	}
	l, f, err := r.Answer.Layout(r.Layout)
	if err != nil {
		return err
	}
	r.Pick = r.Answer.Explain(l, f)
	return nil
}

// Cost is what a training run takes.
type Cost struct {
	Tokens   float64
	Days     float64
	GPUHours float64
	Price    float64 // US dollars a GPU-hour; 0: not known
	Dollars  float64
	Energy   float64 // watt-hours of the GPUs at their rated power; 0: not known
}

func (r *Review) cost(p *strategies.Problem, e *strategies.Estimate) Cost {
	c := Cost{Tokens: r.Tokens, Price: r.Price}
	if c.Tokens == 0 {
		c.Tokens = DefaultTokens
	}
	if c.Price == 0 {
		c.Price = p.Cluster.PricePerGPUHour
	}
	hours := c.Tokens / p.Work.Tokens() * float64(e.Step) / 3600
	c.Days, c.GPUHours = hours/24, hours*float64(p.Cluster.GPUs)
	c.Dollars = c.GPUHours * c.Price
	c.Energy = c.GPUHours * float64(p.Cluster.GPU.Power)
	return c
}

// withGPUs asks the same question of another number of GPUs.
func (r *Review) withGPUs(n int) (*ask.Answer, error) {
	q := r.Answer.Question
	q.GPUs = n
	return ask.Ask(q)
}

func networked(c *hardware.Cluster) bool { return c.Nodes() > 1 && len(c.Tiers) > 1 }
