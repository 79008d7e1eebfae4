// Package compare holds plans side by side: every term of the step, what
// differs, which is better where the model can tell, and why.
package compare

import (
	"math"
	"slices"

	"planner/internal/ask"
	"planner/internal/plan"
	"planner/strategies"
)

// Side is one plan of a comparison.
type Side struct {
	Given string // as typed
	*plan.Plan
	Layout strategies.Layout  // parsed
	Memory *strategies.Memory // by component; nil where the plan was saved with another total
	Layers int                // of the model; 0 where it is not known
}

// Same reports whether two sides answer the same question, so that what they
// share cancels and differences finer than a band can be told apart.
func (s *Side) Same(t *Side) bool {
	a, b := s.Question, t.Question
	for _, q := range []*plan.Question{&a, &b} {
		q.Framework, q.Limits = "", ask.Constraints{}
		if q.Pass == "" {
			q.Pass = "train"
		}
	}
	return a == b
}

// Verdict says how a difference is to be read.
type Verdict uint8

// A difference is Better or Worse for the second side, or Equal where the model
// cannot tell ("~").
const (
	Equal Verdict = iota
	Better
	Worse
)

var verdictNames = []string{"~", "better", "worse"}

// String returns "~", "better" or "worse".
func (v Verdict) String() string { return verdictNames[v] }

// Term is one row: a figure of every side, and its difference to the first.
type Term struct {
	plan.Term
	Values   []float64
	Verdicts []Verdict // against the first side; the first is Equal
	Why      string    // of the second side, where there is something to say
}

// Comparison is what the table and the JSON show.
type Comparison struct {
	Sides []Side
	Terms []Term
	// Measure is the term that decides: the step of one question, tokens per
	// second and GPU where GPUs or batch differ, MFU where models differ.
	Measure string
	Best    int // index of the best side; -1: cannot be told apart
	Why     string
	Overlap bool // the bands of the first two steps overlap
}

// Of compares two or more sides against the first.
func Of(sides []Side) *Comparison {
	c := &Comparison{Sides: sides, Measure: measure(sides)}
	first := sides[0].Predicted.Terms()
	for i := range first {
		t := Term{Term: first[i]}
		any := false
		for _, s := range sides {
			v := s.Predicted.Terms()[i].Value
			t.Values = append(t.Values, v)
			any = any || v != 0
		}
		if any {
			for k := range sides {
				t.Verdicts = append(t.Verdicts, verdict(&sides[0], &sides[k], t.Term, t.Values[0], t.Values[k]))
			}
			c.Terms = append(c.Terms, t)
		}
	}
	c.Best = best(c)
	a, b := &sides[0].Predicted, &sides[1].Predicted
	c.Overlap = a.High > a.Low && b.High > b.Low && a.Low < b.High && b.Low < a.High
	explain(c)
	return c
}

// measure returns the name of the term that decides.
func measure(sides []Side) string {
	name := "step"
	for _, s := range sides[1:] {
		a, b := sides[0].Question, s.Question
		switch {
		case a.Model != b.Model || a.SeqLen != b.SeqLen:
			return "MFU"
		case a.GPUs != b.GPUs || a.GlobalBatch != b.GlobalBatch:
			name = "tokens/s/GPU"
		}
	}
	return name
}

// smallest is the share of a step below which a part of it is noise.
const smallest = 0.002

// verdict reads a difference. Steps of one question are told apart beyond
// Resolution, of different questions beyond their bands.
func verdict(a, b *Side, t plan.Term, x, y float64) Verdict {
	if x == y {
		return Equal
	}
	if t.Part && math.Abs(y-x) < smallest*a.Predicted.Step {
		return Equal
	}
	near := strategies.Resolution
	if !a.Same(b) && t.Unit != "B" {
		near = math.Max(near, apart(&a.Predicted, &b.Predicted))
	}
	if math.Abs(y-x) <= near*math.Max(math.Abs(x), math.Abs(y)) {
		return Equal
	}
	more := y > x
	switch t.Unit {
	case "%", "tok/s":
		more = !more
	}
	if more {
		return Worse
	}
	return Better
}

// apart is the relative difference at which two bands stop to overlap, taken
// as independent: their half-widths added in quadrature.
func apart(a, b *plan.Figures) float64 {
	half := func(f *plan.Figures) float64 { return (f.High - f.Low) / 2 / f.Step }
	return math.Hypot(half(a), half(b))
}

// anyFits reports whether one of the sides can run.
func anyFits(sides []Side) bool {
	return slices.ContainsFunc(sides, func(s Side) bool { return s.Predicted.Fits })
}

// best returns the side that leads the deciding term by more than the model
// can tell, or -1. What does not fit leads nothing.
func best(c *Comparison) int {
	var t *Term
	for i := range c.Terms {
		if c.Terms[i].Name == c.Measure {
			t = &c.Terms[i]
		}
	}
	lead := slices.IndexFunc(c.Sides, func(s Side) bool { return s.Predicted.Fits })
	if lead < 0 {
		return -1
	}
	for k := range c.Sides {
		if !c.Sides[k].Predicted.Fits {
			continue
		}
		if v := verdict(&c.Sides[lead], &c.Sides[k], t.Term, t.Values[lead], t.Values[k]); v == Better || ahead(t, k, lead) && v != Worse {
			lead = k
		}
	}
	for k := range c.Sides {
		if k != lead && c.Sides[k].Predicted.Fits && verdict(&c.Sides[lead], &c.Sides[k], t.Term, t.Values[lead], t.Values[k]) != Worse {
			return -1
		}
	}
	return lead
}

// ahead reports whether side k has the better figure, however little.
func ahead(t *Term, k, than int) bool {
	if t.Unit == "s" {
		return t.Values[k] < t.Values[than]
	}
	return t.Values[k] > t.Values[than]
}
