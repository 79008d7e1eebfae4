package tui

import (
	"cmp"
	"fmt"
	"slices"

	"planner/internal/show"
	"planner/internal/tui/knob"
	"planner/internal/tui/state"
)

// against draws the pinned plan, the present one and the change.
func (d *drawing) against(now *knob.Point) []string {
	pin, name := d.s.Reference()
	terms := columnsOf(pin, now, (d.s.W-48)/9)
	head := fmt.Sprintf(" %-8s %9s %7s %8s", "", "step s", "MFU %", "mem GiB")
	for _, p := range state.Parts(&now.Estimate) {
		if terms[p.Name] {
			head += fmt.Sprintf(" %8s", p.Name)
		}
	}
	out := []string{d.t.dim.Render(fmt.Sprintf(" %-8s ", name)) + pin.Layout.String(), d.t.dim.Render(head + fmt.Sprintf(" %8s", "rest")), d.figuresLine(name, pin, terms)}
	if !now.Legal() {
		return append(out, " now      "+d.t.bad.Render(now.Broken))
	}
	out = append(out, d.figuresLine("now", now, terms), d.changeLine(pin, now, terms))
	return append(out, d.verdict(pin, name, now)...)
}

// columnsOf are the terms of the step that get a column: the largest that
// either plan has, as many as there is room for; the others are summed up.
func columnsOf(a, b *knob.Point, room int) map[string]bool {
	pa, pb := state.Parts(&a.Estimate), state.Parts(&b.Estimate)
	size := func(i int) float64 { return max(pa[i].Seconds, pb[i].Seconds) }
	order := []int{0, 1, 2, 3, 4, 5, 6}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(size(j), size(i)) })
	terms := map[string]bool{}
	for _, i := range order[:max(1, min(room, len(order)))] {
		terms[pa[i].Name] = size(i) > 0
	}
	return terms
}

func (d *drawing) figuresLine(name string, pt *knob.Point, terms map[string]bool) string {
	e := &pt.Estimate
	line := fmt.Sprintf(" %-8s %9.3f %7s %8.1f", name, e.Step, show.Percent(pt.Answer.Problem.Rates(e).MFU), e.Memory.Total().GiB())
	rest := 0.0
	for _, p := range state.Parts(e) {
		if terms[p.Name] {
			line += fmt.Sprintf(" %8.3f", p.Seconds)
		} else {
			rest += p.Seconds
		}
	}
	return line + fmt.Sprintf(" %8.3f", rest)
}

func (d *drawing) changeLine(pin, now *knob.Point, terms map[string]bool) string {
	a, b := &pin.Estimate, &now.Estimate
	line := fmt.Sprintf(" %-8s %+9.3f %+7.1f %+8.1f", "change", b.Step-a.Step,
		100*(now.Answer.Problem.Rates(b).MFU-pin.Answer.Problem.Rates(a).MFU), (b.Memory.Total() - a.Memory.Total()).GiB())
	rest := 0.0
	pa, pb := state.Parts(a), state.Parts(b)
	for i := range pa {
		if terms[pa[i].Name] {
			line += fmt.Sprintf(" %+8.3f", pb[i].Seconds-pa[i].Seconds)
		} else {
			rest += pb[i].Seconds - pa[i].Seconds
		}
	}
	return d.t.bold.Render(line + fmt.Sprintf(" %+8.3f", rest))
}

// verdict says whether the plan fits, where it stands and what moved it.
func (d *drawing) verdict(pin *knob.Point, name string, now *knob.Point) []string {
	var out []string
	e := &now.Estimate
	limit := now.Answer.Problem.Capacity()
	follows := fmt.Sprintf("DP %s follows, %s micro-batches", show.Count(now.Layout.DP), show.Count(now.Question.GlobalBatch/(now.Layout.DP*now.Layout.MBS)))
	switch {
	case !e.Fits:
		out = append(out, " "+d.t.bad.Render(fmt.Sprintf("does not fit: %.1f GiB short in stage %d", (e.Memory.Total()-limit).GiB(), e.Fullest)))
	case d.s.RankOf(now) > 0:
		out = d.wrapped(fmt.Sprintf("fits in %.1f GiB · %s · %s · now rank %s of %s", limit.GiB(), now.Framework.Name, follows, show.Count(d.s.RankOf(now)), show.Count(d.s.Found.Fitting)), " ")
	default:
		out = d.wrapped(fmt.Sprintf("fits in %.1f GiB · %s · %s · %s tok/s/GPU", limit.GiB(), now.Framework.Name, follows, show.Count(int(now.Answer.Problem.Rates(e).TokensPerSecondPerGPU))), " ")
	}
	if pin.Question != now.Question {
		gain := 100 * state.Gain(now, pin)
		return append(out, d.wrapped(fmt.Sprintf("%+.1f %% tokens per second and GPU against the %s; the step is of another workload or cluster", gain, name), " ")...)
	}
	if pin.Plan != now.Plan {
		for _, y := range state.Against(now.Answer.Problem, e, &pin.Estimate, map[string]string{"pinned": "the pinned layout", "start": "the start"}[name]) {
			out = append(out, d.wrapped(y, " ")...)
		}
	}
	return out
}
