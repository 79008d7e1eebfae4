package sweep

import (
	"context"
	"strconv"

	"planner/hardware/unit"
	"planner/internal/ask"
	"planner/internal/catalog"
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
	Limits ask.Constraints
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
		space, err := r.space(p.Values)
		if err != nil {
			return nil, err
		}
		found := p.Answer.Search(ctx, space, strategies.Options{Top: 1})
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

// points resolves the question of every point.
func (r *Request) points() ([]Point, error) {
	combos := [][]string{nil}
	for _, a := range r.Axes {
		var next [][]string
		for _, c := range combos {
			for _, v := range a.Values {
				next = append(next, append(append([]string{}, c...), v))
			}
		}
		combos = next
	}
	if len(combos) > MaxPoints {
		return nil, catalog.Errorf("%d points: too many: want at most %d; use coarser ranges", len(combos), MaxPoints)
	}
	batch, err := r.batch()
	if err != nil {
		return nil, err
	}
	var out []Point
	for _, values := range combos {
		q, err := r.question(values)
		if err != nil {
			return nil, err
		}
		q.GlobalBatch = batch(&q)
		a, err := ask.Ask(q)
		if err == nil && r.axis("framework") < 0 && r.axis("zero") < 0 {
			err = a.RefuseOffload(&r.Limits)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, Point{Values: values, Answer: a})
	}
	return out, nil
}

// batch returns the global batch of a point. Strong scaling takes the one
// given, or the default of the largest number of GPUs; weak scaling lets it
// grow with the GPUs from that of the smallest number.
func (r *Request) batch() (func(*ask.Question) int, error) {
	if r.axis("gpus") < 0 || r.axis("global-batch") >= 0 {
		return func(q *ask.Question) int { return q.GlobalBatch }, nil
	}
	least, most, common := 1<<30, 0, 1
	for _, v := range r.Axes[r.axis("gpus")].Values {
		n, err := strconv.Atoi(v)
		if err != nil || n < 1 || n > catalog.MaxGPUs {
			return nil, catalog.Errorf("--gpus %s: out of range: want 1 to 1,048,576", v)
		}
		least, most, common = min(least, n), max(most, n), lcm(common, n)
	}
	given, gpus := r.Base.GlobalBatch, most
	if r.Scale == Weak {
		gpus = least
	}
	return func(q *ask.Question) int {
		b := given
		if b == 0 {
			b = even(defaultBatch(*q, gpus), common)
		}
		if r.Scale == Weak {
			return max(1, b*q.GPUs/least)
		}
		return b
	}, nil
}

// even raises a default batch to one that every number of GPUs divides, where
// that does not make it much larger.
func even(batch, common int) int {
	if batch == 0 || common > batch {
		return batch
	}
	return (batch + common - 1) / common * common
}

// lcm returns the least common multiple, at most 2³¹.
func lcm(a, b int) int {
	x, y := a, b
	for y > 0 {
		x, y = y, x%y
	}
	return min(a/x*b, 1<<31)
}

// defaultBatch is the batch that a question with gpus GPUs would get; 0 where
// the question is wrong, which Ask will say.
func defaultBatch(q ask.Question, gpus int) int {
	q.GPUs = gpus
	a, err := ask.Ask(q)
	if err != nil {
		return 0
	}
	return a.GlobalBatch
}

func (r *Request) axis(name string) int {
	for i, a := range r.Axes {
		if a.Name == name {
			return i
		}
	}
	return -1
}

// question returns the base question with the values of a point.
func (r *Request) question(values []string) (ask.Question, error) {
	q := r.Base
	for i, a := range r.Axes {
		if err := ask1(&q, a.Name, values[i]); err != nil {
			return q, err
		}
	}
	return q, nil
}

// ask1 sets one part of a question; names of constraints are left alone.
func ask1(q *ask.Question, name, v string) error {
	texts := map[string]*string{"model": &q.Model, "hardware": &q.Hardware, "precision": &q.Precision, "framework": &q.Framework}
	numbers := map[string]*int{"gpus": &q.GPUs, "seq-len": &q.SeqLen, "global-batch": &q.GlobalBatch, "gpus-per-node": &q.Options.GPUsPerNode}
	switch {
	case texts[name] != nil:
		*texts[name] = v
	case numbers[name] != nil:
		n, err := strconv.Atoi(v)
		if err != nil || n < 1 {
			return catalog.Errorf("--%s %s: too small: want at least 1", name, v)
		}
		*numbers[name] = n
	case name == "inter-node":
		b, err := unit.ParseBandwidth(v)
		if err != nil {
			return catalog.Errorf("--inter-node %s", err)
		}
		q.Options.InterNode = b
	}
	return nil
}

// limit sets one constraint; names of the question are left alone.
func limit(l *ask.Constraints, name, v string) {
	to := map[string]*string{"tp": &l.TP, "pp": &l.PP, "vpp": &l.VPP, "cp": &l.CP, "ep": &l.EP, "etp": &l.ETP, "zero": &l.Zero,
		"shard": &l.Shard, "mbs": &l.MBS, "recompute": &l.Recompute, "max-memory": &l.MaxMemory}
	if p := to[name]; p != nil {
		*p = v
	}
}

// Fix sets flags of one value each, the same at every point.
func (r *Request) Fix(single []Axis) error {
	for _, a := range single {
		if err := ask1(&r.Base, a.Name, a.Values[0]); err != nil {
			return err
		}
		limit(&r.Limits, a.Name, a.Values[0])
	}
	return nil
}

// space returns the constraints with the values of a point.
func (r *Request) space(values []string) (strategies.Space, error) {
	l := r.Limits
	for i, a := range r.Axes {
		limit(&l, a.Name, values[i])
	}
	return l.Space()
}
