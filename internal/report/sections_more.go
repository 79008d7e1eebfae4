package report

import (
	"fmt"
	"html/template"
	"strings"

	"planner/internal/sensitivity"
	"planner/internal/show"
	"planner/strategies"
)

func scalingSection(r *Review) Section {
	s := Section{ID: "scaling", Title: "Scaling"}
	s.Lead = []string{fmt.Sprintf("The global batch of %s sequences is kept; the best layout at each number of GPUs. Ringed: this plan. Times and costs are of %s tokens.",
		show.Count(r.Answer.GlobalBatch), tokens(r.Cost.Tokens))}
	if len(r.Scaling) > 1 {
		s.Charts = []template.HTML{scalingChart(r.Scaling)}
	}
	cols := []Column{num("GPUs"), code("layout"), txt("framework"), num("step s"), num("80 % band, s"), num("MFU %"), num("tok/s/GPU"), num("GPU-hours"), txt("time")}
	priced := r.Cost.Price > 0
	if priced {
		cols = append(cols, num("cost"))
	}
	t := Table{Caption: "Best layout by number of GPUs", Columns: cols}
	for i := range r.Scaling {
		q := &r.Scaling[i]
		if q.Best == nil {
			t.add(append([]string{show.Count(q.GPUs), "—", q.Why}, make([]string, len(cols)-3)...)...)
			continue
		}
		cells := []string{show.Count(q.GPUs), q.Best.Layout.String(), q.Best.Framework.Name, seconds(float64(q.Best.Step)), bandOf(q.Best), show.Percent(q.Rates.MFU),
			show.Count(int(q.Rates.TokensPerSecondPerGPU + 0.5)), show.Count(int64(q.Cost.GPUHours + 0.5)), days(q.Cost.Days)}
		if priced {
			cells = append(cells, dollars(q.Cost.Dollars))
		}
		t.add(cells...)
		if q.Here {
			t.mark("pick")
		}
	}
	s.Tables = []Table{t}
	return s
}

func sensitivitySection(r *Review) Section {
	x := r.Sensitivity
	s := Section{ID: "sensitivity", Title: "Sensitivity", Charts: []template.HTML{sensitivityChart(x)}}
	s.Lead = []string{fmt.Sprintf("Change of the step when one knob moves to its next legal value, or one hardware figure is %.0f %% off. %s", 100*sensitivity.Swing, leaders(x))}
	for _, t := range x.Thresholds {
		s.Lead = append(s.Lead, fmt.Sprintf("Below %s of %s the choice changes: %s.", t.Below, t.Figure, strings.Trim(t.Layout, "()")))
	}
	s.Tables = []Table{knobTable(r), figureTable(x)}
	return s
}

func knobTable(r *Review) Table {
	t := Table{Caption: "One knob moved", Folded: true, Columns: []Column{txt("knob"), txt("from"), txt("to"), num("step s"), num("change %"), num("MFU %"), num("GiB"), wrap("")}}
	for i := range r.Sensitivity.Knobs {
		k := &r.Sensitivity.Knobs[i]
		if k.Estimate == nil {
			t.add(k.Name, k.From, k.To, "—", "—", "—", "—", "not legal: "+k.Reason)
			continue
		}
		e := k.Estimate
		t.add(k.Name, k.From, k.To, seconds(float64(e.Step)), signed(change(r.Sensitivity, k)), show.Percent(r.Answer.Problem.Rates(e).MFU), gib(float64(e.Memory.Total())), fits(e))
	}
	return t
}

func figureTable(x *sensitivity.Result) Table {
	t := Table{Caption: fmt.Sprintf("One hardware figure %.0f %% off", 100*sensitivity.Swing), Folded: true, Columns: []Column{txt("figure"), num("lower, change %"), num("higher, change %"), wrap("would another be first")}}
	for _, f := range x.Figures {
		t.add(f.Name, signed(f.Down), signed(f.Up), displaced(&f))
	}
	return t
}

// displaced says which layout would be first.
func displaced(f *sensitivity.Figure) string {
	switch {
	case f.First == "":
		return "no"
	case f.Tie:
		return fmt.Sprintf("at %+.0f %% %s, within a tie", 100*f.At, f.First)
	case f.Gain >= 1:
		return fmt.Sprintf("at %+.0f %% the first of the ranking does not fit, %s is first", 100*f.At, f.First)
	}
	return fmt.Sprintf("at %+.0f %% %s, %.1f %% faster", 100*f.At, f.First, 100*f.Gain)
}

// leaders says whether the ranking's first would stay it.
func leaders(x *sensitivity.Result) string {
	var out []string
	for _, f := range x.Figures {
		if f.First != "" && !f.Tie {
			out = append(out, f.Name)
		}
	}
	if out == nil {
		return "None of these displaces the first of the ranking by more than a tie."
	}
	return fmt.Sprintf("The first of the ranking would change with: %s.", strings.Join(out, ", "))
}

func fits(e *strategies.Estimate) string {
	if e.Fits {
		return "fits"
	}
	return "does not fit"
}

func assumptionSection(r *Review) Section {
	s := Section{ID: "assumptions", Title: "Assumptions and sources"}
	t := Table{Caption: "What the plan rests on, where it is from, and when the source said so", Columns: []Column{wrap("assumption"), wrap("value"), wrap("source"), txt("as of")}}
	last := ""
	for _, a := range r.Assumptions {
		from := a.From
		if from == last && len(from) > 40 {
			from = "as above"
		}
		last = a.From
		t.add(a.What, a.Value, from, a.AsOf)
	}
	s.Tables = []Table{t}
	return s
}
