package compare

import (
	"fmt"
	"math"
	"strings"

	"planner/hardware/unit"
	"planner/internal/plan"
	"planner/strategies"
)

// explain fills in the notes of the terms and the sentence of the whole, of
// the first two sides.
func explain(c *Comparison) {
	a, b := &c.Sides[0], &c.Sides[1]
	for i := range c.Terms {
		if t := &c.Terms[i]; t.Verdicts[1] != Equal {
			t.Why = cause(t.Name, a, b)
		}
	}
	c.Why = sentence(c)
}

// cause says what in the layouts or the questions makes a term differ.
func cause(term string, a, b *Side) string {
	x, y := &a.Layout, &b.Layout
	switch term {
	case "compute":
		return computeCause(a, b)
	case "bubble":
		return bubbleCause(a, b)
	case "exposed TP":
		return differ("tp", x.TP, y.TP, fmt.Sprintf("%s of a buffer of %s, not %s of %s", ring(y.TP), tokens(b), ring(x.TP), tokens(a)))
	case "exposed CP":
		return differ("cp", x.CP, y.CP, "keys and values go round the ranks of cp")
	case "exposed EP":
		return differ("ep", x.EP, y.EP, "every token is sent to its experts and back")
	case "exposed PP":
		return differ("pipeline", x.PP*x.VPP, y.PP*y.VPP, fmt.Sprintf("%d hops a micro-batch, not %d", y.PP*y.VPP-1, x.PP*x.VPP-1))
	case "exposed DP":
		return dataCause(x, y)
	case "memory":
		return memoryCause(a, b)
	}
	return ""
}

// ring is the share (n−1)/n of a buffer that a ring moves.
func ring(n int) string {
	if n == 1 {
		return "nothing"
	}
	return fmt.Sprintf("%d/%d", n-1, n)
}

// tokens are those of one micro-batch on one context-parallel rank.
func tokens(s *Side) string {
	return fmt.Sprintf("%d tokens", s.Layout.MBS*s.Question.SeqLen/s.Layout.CP)
}

func differ(key string, x, y int, why string) string {
	switch {
	case x == y:
		return ""
	case y == 1:
		return "B has no " + key
	case x == 1:
		return "A has no " + key
	}
	return why
}

func computeCause(a, b *Side) string {
	x, y := &a.Layout, &b.Layout
	switch {
	case a.Question.Hardware != b.Question.Hardware:
		return "another accelerator"
	case a.Question.Model != b.Question.Model:
		return "another model"
	case a.Question.Precision != b.Question.Precision:
		return "another precision"
	case x.Recompute != y.Recompute || x.FullLayers != y.FullLayers:
		return fmt.Sprintf("recomputation %s, not %s", y.Recompute, x.Recompute)
	case x.TP != y.TP:
		return fmt.Sprintf("GEMMs are cut in %d, not %d", y.TP, x.TP)
	case x.MBS != y.MBS:
		return fmt.Sprintf("GEMMs of %d sequences, not %d", y.MBS, x.MBS)
	}
	return ""
}

func bubbleCause(a, b *Side) string {
	x, y := &a.Layout, &b.Layout
	switch {
	case y.PP == 1:
		return "B has no pipeline"
	case x.PP == 1:
		return "A has no pipeline"
	case x.PP == y.PP && x.VPP == y.VPP && a.Predicted.MicroBatches == b.Predicted.MicroBatches:
		return "the same schedule of other slots"
	}
	return fmt.Sprintf("(PP−1)/VPP over %d micro-batches: %d/%d of %d, not %d/%d of %d", b.Predicted.MicroBatches,
		y.PP-1, y.VPP, b.Predicted.MicroBatches, x.PP-1, x.VPP, a.Predicted.MicroBatches)
}

func dataCause(x, y *strategies.Layout) string {
	switch {
	case x.Zero != 3 && y.Zero == 3:
		return "ZeRO-3 gathers every layer for every micro-batch"
	case x.Zero == 3 && y.Zero != 3:
		return "no ZeRO-3 gathers"
	case x.Shard != y.Shard && x.Zero > 0 && y.Zero > 0:
		return fmt.Sprintf("split over %d ranks, not %d", y.Shard, x.Shard)
	case x.DP != y.DP:
		return fmt.Sprintf("%d replicas, not %d", y.DP, x.DP)
	case x.Zero != y.Zero:
		return fmt.Sprintf("ZeRO-%d, not %d", y.Zero, x.Zero)
	}
	return ""
}

// sentence says which side is better, by how much, and which parts make it so.
func sentence(c *Comparison) string {
	a, b := &c.Sides[0].Predicted, &c.Sides[1].Predicted
	if len(c.Sides) > 2 {
		switch {
		case !anyFits(c.Sides):
			return "none fits"
		case c.Best < 0:
			return "the best two cannot be told apart by " + c.Measure
		}
		return fmt.Sprintf("%c is best by %s", 'A'+c.Best, c.Measure)
	}
	if !a.Fits || !b.Fits {
		return unfit(a, b)
	}
	if c.Best < 0 {
		return fmt.Sprintf("%s of A and B is closer than the model can tell apart: choose by memory, or measure", c.Measure)
	}
	if c.Measure != "step" {
		return fmt.Sprintf("%c is better by %s, the measure where the questions differ", 'A'+c.Best, c.Measure)
	}
	fast, slow := a, b
	if c.Best == 1 {
		fast, slow = b, a
	}
	s := fmt.Sprintf("%c is %.1f %% faster", 'A'+c.Best, 100*(1-fast.Step/slow.Step))
	if gain, loss := parts(c, c.Best); gain != "" {
		s += ": " + gain
		if loss != "" {
			s += "; against it " + loss
		}
	}
	return s
}

func unfit(a, b *plan.Figures) string {
	switch {
	case a.Fits:
		return fmt.Sprintf("B does not fit, %s; A does", short(b))
	case b.Fits:
		return fmt.Sprintf("A does not fit, %s; B does", short(a))
	}
	return fmt.Sprintf("neither fits: A is %s, B %s", short(a), short(b))
}

// short says how much memory a side lacks.
func short(f *plan.Figures) string {
	return fmt.Sprintf("%.1f GiB short", unit.Bytes(f.Memory-f.Usable).GiB())
}

// parts names the largest gain and the largest loss of the better side.
func parts(c *Comparison, best int) (gain, loss string) {
	var most, least float64
	for _, t := range c.Terms {
		if !t.Part {
			continue
		}
		d := t.Values[best] - t.Values[1-best] // negative: a gain
		if math.Abs(d) < smallest*c.Sides[0].Predicted.Step {
			continue
		}
		if d < most {
			most, gain = d, fmt.Sprintf("%.2f s less %s", -d, lower(t.Name))
		}
		if d > least {
			least, loss = d, fmt.Sprintf("%.2f s more %s", d, lower(t.Name))
		}
	}
	return gain, loss
}

// lower writes a term inside a sentence.
func lower(name string) string {
	if strings.HasPrefix(name, "exposed ") {
		return name + " communication"
	}
	return name
}
