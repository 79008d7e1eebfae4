package report

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"planner/costmodel/collective"
	"planner/internal/show"
	"planner/strategies"
)

// Alternative is a layout that was not recommended, and why not.
type Alternative struct {
	strategies.Estimate
	What   string  // what it stands for
	Slower float64 // step over the pick's, less 1
	Tie    bool    // closer to the pick than the model can tell apart
	Why    string
}

// alternatives returns the runners-up that differ in more than a detail, the
// best of other tastes, and the best of each other framework.
func (r *Review) alternatives(ctx context.Context) []Alternative {
	var out []Alternative
	seen := map[string]bool{kind(&r.Pick.Estimate): true}
	add := func(what string, e *strategies.Estimate) {
		if e == nil || seen[kind(e)] {
			return
		}
		seen[kind(e)] = true
		out = append(out, r.alternative(what, e))
	}
	for i := range r.Search.Ranking {
		if len(out) < 4 {
			what := "runner-up"
			if r.Search.Ranking[i].Step < r.Pick.Step {
				what = "faster"
			}
			add(what, &r.Search.Ranking[i])
		}
	}
	add("first outside the tie", r.outside())
	add("memory to spare", show.Spare(r.Answer.Problem, r.Search))
	add("least memory within 15 %", r.Search.LeastMemory(0.15))
	add("no pipeline", r.Search.NoPipeline)
	add("no tensor parallelism", r.Search.NoTensor)
	for _, e := range r.frameworks(ctx) {
		add("best on "+e.Framework.Name, &e)
	}
	slices.SortStableFunc(out, func(a, b Alternative) int { return cmp.Compare(a.Step, b.Step) })
	return out
}

// kind is what two layouts share that differ only in how they split state or
// interleave.
func kind(e *strategies.Estimate) string {
	l := &e.Layout
	return fmt.Sprint(l.TP, l.PP, l.CP, l.EP, l.ETP, l.Zero, l.MBS, l.Recompute, l.SP, e.Framework.Name)
}

// outside returns the first of the ranking that is slower than the pick by
// more than the resolution.
func (r *Review) outside() *strategies.Estimate {
	for i := range r.Search.Ranking {
		if e := &r.Search.Ranking[i]; r.slower(e) > strategies.Resolution {
			return e
		}
	}
	return nil
}

func (r *Review) slower(e *strategies.Estimate) float64 { return float64(e.Step/r.Pick.Step) - 1 }

// frameworks searches once for each other framework that may be used.
func (r *Review) frameworks(ctx context.Context) []strategies.Estimate {
	var out []strategies.Estimate
	for _, f := range r.Answer.Problem.Profiles {
		if f.Name == r.Pick.Framework.Name || ctx.Err() != nil {
			continue
		}
		r.say("best of " + f.Name)
		p := *r.Answer.Problem
		p.Profiles = []*strategies.Profile{f}
		a := *r.Answer
		a.Problem = &p
		found := a.Search(ctx, r.Space, strategies.Options{Top: 1})
		out = append(out, found.Ranking...)
	}
	return out
}

func (r *Review) alternative(what string, e *strategies.Estimate) Alternative {
	a := Alternative{Estimate: *e, What: what, Slower: r.slower(e)}
	a.Tie = a.Slower <= strategies.Resolution && a.Slower >= -strategies.Resolution
	var why []string
	if a.Tie {
		why = append(why, "tie: the model cannot tell it from the pick")
	}
	why = append(why, differences(&r.Pick.Estimate, e, a.Tie)...)
	a.Why = strings.Join(why, "; ")
	return a
}

// differences names the term that costs most against the pick, or saves most
// where the layout is faster, and memory.
func differences(pick, e *strategies.Estimate, tie bool) []string {
	var out []string
	name, most := term(pick, e)
	switch {
	case !tie && e.Step < pick.Step:
		name, most = term(e, pick)
		out = append(out, fmt.Sprintf("%.2f s less %s", most, name))
	case (!tie || most > 0.01*float64(pick.Step)) && most > 0:
		if e.Layout.Recompute > pick.Layout.Recompute && name == "compute" {
			name = "compute (it recomputes activations)"
		}
		out = append(out, fmt.Sprintf("%.2f s more %s", most, name))
	}
	switch free := (pick.Memory.Total() - e.Memory.Total()).GiB(); {
	case free > 1:
		out = append(out, fmt.Sprintf("%.1f GiB less memory", free))
	case free < -1:
		out = append(out, fmt.Sprintf("%.1f GiB more memory", -free))
	}
	return out
}

// term returns the term of the step that grows most from a to b.
func term(a, b *strategies.Estimate) (name string, most float64) {
	try := func(n string, d float64) {
		if d > most {
			name, most = n, d
		}
	}
	try("compute", float64(b.Compute-a.Compute))
	try("bubble", float64(b.Bubble-a.Bubble))
	for _, axis := range collective.Axes() {
		try("exposed "+axisTitle(axis.String()), float64(b.Exposed[axis]-a.Exposed[axis]))
	}
	try("optimizer", float64(b.Optimizer-a.Optimizer))
	try("overhead", float64(b.Overhead-a.Overhead))
	return name, most
}

func axisTitle(name string) string {
	if name == "other" {
		return name
	}
	return strings.ToUpper(name)
}
