package compare

import (
	"fmt"
	"io"
	"slices"

	"planner/hardware/unit"
	"planner/internal/plan"
	"planner/internal/show"
	"planner/strategies"
)

// Show writes a comparison: who is compared, the table, the reason.
func Show(w io.Writer, format string, c *Comparison) {
	if format == "table" {
		heads(w, c)
	}
	if len(c.Sides) == 2 {
		pairTable(w, format, c)
	} else {
		manyTable(w, format, c)
	}
	if format == "table" {
		fmt.Fprintf(w, "\nwhy   %s\n", c.Why)
	}
}

func heads(w io.Writer, c *Comparison) {
	for i, s := range c.Sides {
		fmt.Fprintf(w, "%c  %s · %s%s\n   %s%s\n", 'A'+i, s.Plan.Layout, s.Framework, fitting(&s.Predicted), Line(&s.Question), origin(&s))
	}
	fmt.Fprintln(w)
}

// fitting says so where a side does not fit, before its figures are read.
func fitting(f *plan.Figures) string {
	if f.Fits {
		return ""
	}
	return " · does not fit, " + short(f)
}

// origin says where a saved side's figures come from.
func origin(s *Side) string {
	switch {
	case s.Saved != "" && s.From == "plan" && s.Given != "" && isFile(s.Given):
		return fmt.Sprintf(" · as saved %s in %s", s.Saved, s.Given)
	case s.From != "plan" && s.Saved != "":
		return fmt.Sprintf(" · as saved %s in %s", s.Saved, s.Given)
	case s.From != "plan":
		return " · as saved in " + s.Given
	}
	return ""
}

func pairTable(w io.Writer, format string, c *Comparison) {
	var rows [][]string
	for _, t := range shown(c, format) {
		x, y := t.Values[0], t.Values[1]
		rows = append(rows, []string{title(&t), cell(&t, x), cell(&t, y), delta(&t, x, y), relative(&t, x, y, t.Verdicts[1]), note(c, &t)})
	}
	show.Table(w, format, []show.Column{{Title: "term", Left: true}, {Title: "A"}, {Title: "B"}, {Title: "B − A"}, {Title: "%"}, {Title: "why", Left: true}}, rows)
}

func manyTable(w io.Writer, format string, c *Comparison) {
	cols := []show.Column{{Title: "term", Left: true}, {Title: "A"}}
	for i := range c.Sides[1:] {
		cols = append(cols, show.Column{Title: string(rune('B' + i))}, show.Column{Title: "vs A"})
	}
	var rows [][]string
	for _, t := range shown(c, format) {
		row := []string{title(&t), cell(&t, t.Values[0])}
		for k := 1; k < len(c.Sides); k++ {
			row = append(row, cell(&t, t.Values[k]), relative(&t, t.Values[0], t.Values[k], t.Verdicts[k]))
		}
		rows = append(rows, row)
	}
	show.Table(w, format, cols, rows)
}

// shown leaves out of a screen the parts that would read 0.000 on every side.
func shown(c *Comparison, format string) []Term {
	if format == "csv" {
		return c.Terms
	}
	var out []Term
	for _, t := range c.Terms {
		if !t.Part || slices.Max(t.Values) >= 5e-4 {
			out = append(out, t)
		}
	}
	return out
}

func title(t *Term) string {
	name := t.Name
	switch t.Unit {
	case "s":
		name += ", s"
	case "%":
		name += ", %"
	case "B":
		name += ", GiB"
	}
	if t.Part {
		return "  " + name
	}
	return name
}

func cell(t *Term, v float64) string {
	switch t.Unit {
	case "%":
		return show.Percent(v)
	case "B":
		return fmt.Sprintf("%.1f", unit.Bytes(v).GiB())
	case "tok/s":
		return show.Count(int(v + 0.5))
	}
	return fmt.Sprintf("%.3f", v)
}

func delta(t *Term, x, y float64) string {
	switch t.Unit {
	case "%":
		return fmt.Sprintf("%+.1f", 100*(y-x))
	case "B":
		return fmt.Sprintf("%+.1f", unit.Bytes(y-x).GiB())
	case "tok/s":
		return fmt.Sprintf("%+.0f", y-x)
	}
	return fmt.Sprintf("%+.3f", y-x)
}

// relative writes the change against x: "~" where it cannot be told apart,
// points for percentages.
func relative(t *Term, x, y float64, v Verdict) string {
	switch {
	case v == Equal:
		return "~"
	case t.Unit == "%":
		return fmt.Sprintf("%+.1f pts", 100*(y-x))
	case x == 0:
		return "new"
	}
	return fmt.Sprintf("%+.1f %%", 100*(y/x-1))
}

// note says of the step which side is better, of the others why they differ.
func note(c *Comparison, t *Term) string {
	if t.Name != c.Measure {
		return t.Why
	}
	a, b := &c.Sides[0].Predicted, &c.Sides[1].Predicted
	switch {
	case !a.Fits || !b.Fits:
		return unfit(a, b)
	case c.Best < 0:
		return "cannot be told apart"
	case c.Overlap && c.Measure == "step":
		return fmt.Sprintf("%c is faster; their bands overlap", 'A'+c.Best)
	case c.Measure == "step":
		return fmt.Sprintf("%c is faster", 'A'+c.Best)
	}
	return fmt.Sprintf("%c is better", 'A'+c.Best)
}

// Notes says how to read the table.
func Notes(w io.Writer, c *Comparison) {
	same := true
	for i := range c.Sides {
		same = same && c.Sides[0].Same(&c.Sides[i])
	}
	if same {
		show.Note(w, "~", "closer than the model can tell apart (%.1f %%), or less than %.1f %% of the step", 100*strategies.Resolution, 100*smallest)
	} else {
		show.Note(w, "~", "within the two bands: the questions differ, so their errors do not cancel")
	}
	for i := range c.Sides {
		if f := &c.Sides[i].Predicted; !f.Fits {
			show.Note(w, "does not fit", "%c: %s", 'A'+i, short(f))
		}
	}
}
