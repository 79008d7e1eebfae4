package diagnose

import (
	"fmt"

	"planner/internal/ask"
	"planner/internal/catalog"
	"planner/strategies"
)

// Subject is a configuration with the problem that it is a layout of.
type Subject struct {
	*Config
	Answer  *ask.Answer
	Explain *strategies.Explanation
}

// Resolve joins what the file says with what the question adds, the question
// first, and explains the layout; a saved plan has the whole question. Errors
// are *catalog.Error.
func Resolve(c *Config, q ask.Question) (*Subject, error) {
	if c.saved == nil {
		return c.resolve(q)
	}
	if _, err := c.saved.Ask(); err != nil {
		return nil, err
	}
	s, err := c.resolve(c.saved.Asked())
	return s, c.saved.Named(err)
}

func (c *Config) resolve(q ask.Question) (*Subject, error) {
	first := func(to *string, from string) {
		if *to == "" {
			*to = from
		}
	}
	first(&q.Model, c.Model)
	first(&q.Precision, c.Precision)
	if q.Framework == "" || q.Framework == ask.DefaultFramework {
		q.Framework = c.Framework
	}
	if q.SeqLen == 0 {
		q.SeqLen = c.Seq
	}
	if q.GPUs == 0 {
		q.GPUs = c.GPUs
	}
	switch {
	case q.GPUs == 0 && c.mismatch != nil:
		return nil, c.mismatch
	case q.Model == "":
		return nil, catalog.Errorf("--model: missing: the file names no model that is known; give a preset, a size like 70b, or a config.json")
	case q.GPUs == 0:
		return nil, catalog.Errorf("--gpus: missing: the file does not say on how many GPUs it runs")
	}
	l, v := c.Layout.Complete(q.GPUs)
	if v != nil {
		return nil, catalog.Errorf("layout %s", v)
	}
	if err := c.batches(&q, &l); err != nil {
		return nil, err
	}
	return c.explain(q, l)
}

func (c *Config) explain(q ask.Question, l strategies.Layout) (*Subject, error) {
	a, err := ask.Ask(q)
	if err != nil {
		return nil, err
	}
	if l.FullLayers >= a.Problem.Model.Layers()/l.PP {
		l.FullLayers = 0
	}
	c.resolveAutos(a.Problem.Model.Hidden)
	l, f, err := a.Layout(l.String())
	if err != nil {
		return nil, err
	}
	return &Subject{Config: c, Answer: a, Explain: a.Explain(l, f)}, nil
}

// batches settles the global batch and the micro-batch: what the file leaves
// out follows from GBS = MBS · GA · DP, or is assumed.
func (c *Config) batches(q *ask.Question, l *strategies.Layout) error {
	gbs, said := q.GlobalBatch, c.Layout.MBS > 0
	if gbs == 0 {
		gbs = c.GlobalBatch
	}
	if gbs > 0 && said && c.Accumulate > 0 && q.GlobalBatch == 0 {
		if err := Batch(gbs, l.MBS, c.Accumulate, l.DP); err != nil {
			return err
		}
	}
	switch {
	case gbs == 0 && said && c.Accumulate > 0:
		gbs = l.MBS * c.Accumulate * l.DP
		c.note(fmt.Sprintf("global batch %d = micro-batch %d × accumulation %d × DP %d", gbs, l.MBS, c.Accumulate, l.DP))
	case gbs > 0 && !said && c.Accumulate > 0 && gbs%(c.Accumulate*l.DP) == 0:
		l.MBS = gbs / (c.Accumulate * l.DP)
		c.note(fmt.Sprintf("micro-batch %d = global batch %d / (accumulation %d × DP %d)", l.MBS, gbs, c.Accumulate, l.DP))
	case gbs > 0 && !said && c.Accumulate > 0:
		return Batch(gbs, 1, c.Accumulate, l.DP)
	case !said && c.Kind != "layout":
		c.note("micro-batch: not said; 1 assumed")
	}
	q.GlobalBatch = gbs
	return nil
}
