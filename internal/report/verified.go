package report

import (
	"fmt"

	"planner/internal/show"
	"planner/internal/verdict"
)

func verificationSection(r *Review) Section {
	s := Section{ID: "verification", Title: "Verification"}
	v := r.Verified
	if v == nil {
		s.Lead = []string{"Not verified: every figure of this report is predicted. On the machines themselves, planner verify runs the calls of this layout and compares; planner report --verified FILE adds what it found."}
		return s
	}
	s.Verdict = v.Verdict.Status + ": " + v.Verdict.Sentence
	where := fmt.Sprintf("%s ranks on %d %s", show.Count(v.Ranks), v.Nodes, plural(v.Nodes, "node", "nodes"))
	if v.Emulate != "" {
		where += ", links emulated (" + v.Emulate + ")"
	}
	s.Lead = []string{
		fmt.Sprintf("Measured with %s at sequence %s and a global batch of %s on %s.", v.Model, show.Count(v.SeqLen), show.Count(v.Batch), where),
		fmt.Sprintf("Order of the layouts, predicted against measured: Kendall's tau-b %.2f (%.2f … %.2f). The predicted best is %.1f %% slower than the measured best.", v.TauB, v.TauLow, v.TauHigh, 100*v.Regret),
		fmt.Sprintf("Of the steps %.1f %% were measured, %.1f %% scaled from smaller groups, %.1f %% assumed.", 100*v.Shares.Measured, 100*v.Shares.Scaled, 100*v.Shares.Assumed),
	}
	s.Tables = []Table{measuredLayouts(v), measuredCalls(v)}
	return s
}

func measuredLayouts(v *verdict.Report) Table {
	t := Table{Caption: "Layouts, predicted and measured", Columns: []Column{code("layout"), txt("framework"), num("predicted s"), num("measured s"), num("± s"), num("measured / predicted")}}
	for _, l := range v.Layouts {
		t.add(l.Layout, l.Framework, seconds3(l.Predicted), seconds3(l.Measured), seconds3(l.StdErr), ratio(l.Measured, l.Predicted))
	}
	return t
}

func measuredCalls(v *verdict.Report) Table {
	t := Table{Caption: "Calls, predicted and measured", Columns: []Column{code("call"), txt("purpose"), txt("axis"), num("ranks"), num("nodes"), num("M"), num("predicted ms"), num("measured ms"), num("measured / predicted"), txt("how")}}
	for i := range v.Calls {
		c := &v.Calls[i]
		t.add(c.Op, c.Purpose, axisTitle(c.Axis), show.Count(c.GroupSize), show.Count(c.Nodes), decimal(c.Bytes), millis3(c.Predicted), millis3(c.Measured), ratio(c.Measured, c.Predicted), c.How)
	}
	return t
}

// millis3 writes the time of one call.
func millis3(s float64) string { return fmt.Sprintf("%.3f", 1e3*s) }

func ratio(a, b float64) string {
	if !(a > 0 && b > 0) {
		return "—"
	}
	return fmt.Sprintf("%.2f", a/b)
}
