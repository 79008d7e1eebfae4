package compare

import (
	"fmt"
	"math"
	"strings"

	"planner/hardware/unit"
	"planner/internal/plan"
)

// explain fills in the notes of the terms and the sentence of the whole, of
// the first two sides.
func explain(c *Comparison) {
	a, b := &c.Sides[0], &c.Sides[1]
	for i := range c.Terms {
		if t := &c.Terms[i]; t.Verdicts[1] != Equal {
			t.Why = why(t, a, b)
		}
	}
	c.Why = sentence(c)
}

// why is the cause of a term; of calls without one of their own, what makes all
// calls differ.
func why(t *Term, a, b *Side) string {
	up := t.Values[1] > t.Values[0]
	text := cause(t.Name, a, b, up)
	if text != "" || !strings.HasPrefix(t.Name, "exposed ") {
		return text
	}
	if text, _ = reasons(callSettings, a, b, up); text == "" && a.Framework != b.Framework {
		text = not(b.Framework, a.Framework)
	}
	return text
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
	return longer(c, b.Step/a.Step-1)
}

// longer says how much longer the second side takes, the figure of the table,
// and which parts make it so.
func longer(c *Comparison, by float64) string {
	more, less := parts(c)
	s, cause, against := fmt.Sprintf("B takes %.1f %% longer than A", 100*by), more, less
	if by < 0 {
		s, cause, against = fmt.Sprintf("B takes %.1f %% less time than A", -100*by), less, more
	}
	if cause != "" {
		s += ": " + cause
		if against != "" {
			s += "; against it " + against
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

// parts names what the second side has most more of, and most less.
func parts(c *Comparison) (more, less string) {
	var most, least float64
	for _, t := range c.Terms {
		if !t.Part {
			continue
		}
		d := t.Values[1] - t.Values[0]
		if math.Abs(d) < smallest*c.Sides[0].Predicted.Step {
			continue
		}
		if d > most {
			most, more = d, fmt.Sprintf("%.2f s more %s", d, lower(t.Name))
		}
		if d < least {
			least, less = d, fmt.Sprintf("%.2f s less %s", -d, lower(t.Name))
		}
	}
	return more, less
}

// lower writes a term inside a sentence.
func lower(name string) string {
	if strings.HasPrefix(name, "exposed ") {
		return name + " communication"
	}
	return name
}
