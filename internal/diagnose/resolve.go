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
	a, l, f, err := c.layout(q)
	if err != nil {
		return nil, err
	}
	return &Subject{Config: c, Answer: a, Explain: a.Explain(l, f)}, nil
}

// layout answers the question with what the file says, and completes its
// layout.
func (c *Config) layout(q ask.Question) (a *ask.Answer, l strategies.Layout, f *strategies.Profile, err error) {
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
	if q.Capacity == 0 && q.Imbalance == 0 {
		q.Capacity = c.Capacity
	}
	if q.GPUs == 0 {
		q.GPUs = c.GPUs
	}
	if err := c.lacks(&q); err != nil {
		return nil, l, nil, err
	}
	l, v := c.Layout.Complete(q.GPUs)
	if v != nil {
		return nil, l, nil, catalog.Errorf("layout %s", v)
	}
	if err := c.instances(&l); err != nil {
		return nil, l, nil, err
	}
	if err := c.batches(&q, &l); err != nil {
		return nil, l, nil, err
	}
	return c.check(q, l)
}

// lacks says what neither the file nor the question says.
func (c *Config) lacks(q *ask.Question) error {
	switch {
	case q.GPUs == 0 && c.mismatch != nil:
		return c.mismatch
	case q.Model == "":
		return catalog.Errorf("--model: missing: the file names no model that is known; give a preset, a size like 70b, or a config.json")
	case q.GPUs == 0:
		return catalog.Errorf("--gpus: missing: the file does not say on how many GPUs it runs")
	}
	return nil
}

// check settles what of a layout depends on the model, and finds the framework
// that runs it.
func (c *Config) check(q ask.Question, l strategies.Layout) (*ask.Answer, strategies.Layout, *strategies.Profile, error) {
	a, err := ask.Ask(q)
	if err != nil {
		return nil, l, nil, err
	}
	c.virtual(&l, a.Problem.Model.Layers())
	if l.FullLayers >= longest(&l, a.Problem.Model.Layers()) {
		l.FullLayers = 0
	}
	c.resolveAutos(a.Problem.Model.Hidden)
	l, f, err := a.Layout(l.String())
	return a, l, f, err
}

// longest returns the layers of the pipeline rank that has most.
func longest(l *strategies.Layout, layers int) int {
	rest, ranks := layers-l.First-l.Last, l.PP
	for _, end := range []int{l.First, l.Last} {
		if end > 0 {
			ranks--
		}
	}
	return max(l.First, l.Last, (rest+ranks-1)/max(1, ranks))
}

// instances shares the data-parallel ranks among the groups that each hold all
// of the ZeRO state.
func (c *Config) instances(l *strategies.Layout) error {
	if c.Instances < 2 || l.Zero == 0 {
		return nil
	}
	if l.DataRanks()%c.Instances != 0 {
		return catalog.Errorf("num_distributed_optimizer_instances %d: does not divide dp·cp = %d: want a divisor of it", c.Instances, l.DataRanks())
	}
	l.Shard = l.DataRanks() / c.Instances
	return nil
}

// virtual counts the virtual stages of a rank from the layers of one.
func (c *Config) virtual(l *strategies.Layout, layers int) {
	if l.Schedule != strategies.Interleaved || c.PerStage == 0 {
		return
	}
	if chunks := l.PP * c.PerStage; layers%chunks == 0 {
		l.VPP = max(2, layers/chunks)
	}
	c.note(fmt.Sprintf("Interleaved1F1B: read as %d virtual stages a rank", l.VPP))
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
	case !said && c.Kind != layoutKind:
		c.note("micro-batch: not said; 1 assumed")
	}
	q.GlobalBatch = gbs
	return nil
}
