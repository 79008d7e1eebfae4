package sweep

import (
	"context"
	"strconv"

	"planner/internal/ask"
	"planner/strategies"
)

// Scaling says what happens to the batch as GPUs are added.
type Scaling string

// Strong scaling keeps the global batch; weak scaling keeps the batch per GPU.
const (
	Strong Scaling = "strong"
	Weak   Scaling = "weak"
)

// Request is a sweep.
type Request struct {
	Base   ask.Question
	Axes   []Axis // one or two; the first varies slowest
	Scale  Scaling
	Tokens float64 // to train; 0: none asked
	Price  float64 // US dollars per GPU and hour; 0: the cluster preset's
	// Progress is told of points as they are done.
	Progress func(done, of int)
}

// Point is one combination of values and the best layout there.
type Point struct {
	Values []string // by axis
	Answer *ask.Answer
	Best   *strategies.Estimate // nil: nothing fits
	Reason string               // why Best is nil
	Legal  int                  // layouts tried

	TokensPerSecond float64 // of the whole cluster
	Efficiency      float64 // tokens per second and GPU over the best point's
	Days            float64 // to train Request.Tokens
	Dollars         float64 // for it; 0: no price known
	Energy          float64 // for it, in joules: accelerators at their board power; 0: power not known
	Front           bool    // on the Pareto front of speed and cost
}

// GPUHours returns the accelerator hours that the tokens take.
func (p *Point) GPUHours() float64 { return p.Days * 24 * float64(p.Answer.GPUs) }

// Result is the points done, all of them unless interrupted.
type Result struct {
	*Request
	Points      []Point
	Of          int
	Batch       int // global batch of strong scaling, of the first point of weak
	Price       float64
	PriceSource string
	Interrupted bool
}

// Run searches every point in order. A cancelled context ends it with the
// points done. Errors are *catalog.Error: a value that no question has.
func Run(ctx context.Context, r *Request) (*Result, error) {
	points, err := r.points()
	if err != nil {
		return nil, err
	}
	out := &Result{Request: r, Of: len(points)}
	out.Batch = points[0].Answer.GlobalBatch
	out.price(points[0].Answer)
	for i := range points {
		p := &points[i]
		found := p.Answer.Search(ctx, p.Answer.Space(), strategies.Options{Top: 1})
		if found.Interrupted {
			out.Interrupted = true
			break
		}
		p.take(found)
		out.Points = append(out.Points, *p)
		if r.Progress != nil {
			r.Progress(i+1, len(points))
		}
	}
	out.finish()
	return out, nil
}

func (p *Point) take(r *strategies.Result) {
	p.Legal = r.Legal
	switch {
	case len(r.Ranking) > 0:
		p.Best = &r.Ranking[0]
		p.TokensPerSecond = p.Answer.Problem.Work.Tokens() / float64(p.Best.Step)
	case r.Least != nil:
		short := r.Least.Memory.Total() - p.Answer.Problem.Capacity()
		p.Reason = "does not fit: " + strconv.FormatFloat(short.GiB(), 'f', 1, 64) + " GiB short"
	default:
		p.Reason = "no legal layout" + because(r.Rejected)
	}
}

// because names the rule that refused most.
func because(rejected map[strategies.Rule]int) string {
	var most strategies.Rule
	for rule, n := range rejected {
		if n > rejected[most] || n == rejected[most] && rule < most {
			most = rule
		}
	}
	if most == "" {
		return ""
	}
	return " (" + string(most) + ")"
}
