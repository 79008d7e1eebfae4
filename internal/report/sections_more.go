package report

import (
	"fmt"
	"html/template"

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
	cols := []Column{num("GPUs"), code("layout"), txt("framework"), num("step s"), num("± s"), num("MFU %"), num("tok/s/GPU"), num("GPU-hours"), txt("time")}
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
	s := Section{ID: "sensitivity", Title: "Sensitivity", Charts: []template.HTML{sensitivityChart(r.Knobs, r.Figures)}}
	s.Lead = []string{"Change of the step when one knob moves to its next legal value, or one hardware figure is 10 % off.", r.leaders()}
	k := Table{Caption: "One knob moved", Folded: true, Columns: []Column{txt("knob"), code("layout"), txt("framework"), num("step s"), num("change %"), num("MFU %"), num("GiB"), txt("")}}
	for i := range r.Knobs {
		e := &r.Knobs[i].Estimate
		k.add(r.Knobs[i].Name, e.Layout.String(), e.Framework.Name, seconds(float64(e.Step)), signed(r.Knobs[i].Change), show.Percent(r.Answer.Problem.Rates(e).MFU), gib(float64(e.Memory.Total())), fits(e))
	}
	h := Table{Caption: "One hardware figure 10 % off", Folded: true, Columns: []Column{txt("figure"), num("10 % lower, change %"), num("10 % higher, change %"), wrap("would another lead")}}
	for _, f := range r.Figures {
		lead := "no"
		if f.Leader != "" {
			lead = fmt.Sprintf("%s, %.1f %% faster", f.Leader, 100*f.LeaderFaster)
		}
		h.add(f.Name, signed(f.Lower), signed(f.Higher), lead)
	}
	s.Tables = []Table{k, h}
	return s
}

// leaders says whether the pick would stay the pick.
func (r *Review) leaders() string {
	for _, f := range r.Figures {
		if f.Leader != "" {
			return fmt.Sprintf("With %s 10 %% off, %s would lead by more than a tie; the table has the details.", f.Name, f.Leader)
		}
	}
	return "None of the ±10 % puts another of the layouts compared ahead by more than a tie."
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
	for _, a := range r.Assumptions {
		t.add(a.What, a.Value, a.From, a.AsOf)
	}
	s.Tables = []Table{t}
	return s
}
