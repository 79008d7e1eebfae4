// Package knob holds what a user may change about a plan: the knobs, the
// values of each, what follows from a change, and the rule that a value
// breaks. It knows questions and layouts, not terminals.
package knob

import (
	"errors"
	"slices"
	"strings"

	"planner/internal/ask"
	"planner/internal/bands"
	"planner/internal/catalog"
	"planner/internal/knobs"
	"planner/strategies"
)

// Plan is a question with one layout: what a step of the history holds.
type Plan struct {
	Question ask.Question
	Layout   strategies.Layout
	// Under is the framework to run it, where it can; "": the first that can.
	Under string
}

// Point is a plan that was solved. Broken says why it cannot be, and then
// Estimate is empty.
type Point struct {
	Plan
	Answer    *ask.Answer
	Framework *strategies.Profile
	Estimate  strategies.Estimate
	Broken    string
}

// Legal reports whether some framework runs the plan.
func (pt *Point) Legal() bool { return pt.Broken == "" }

// At returns the point of an estimate that a search found.
func At(a *ask.Answer, e *strategies.Estimate) Point {
	return Point{Plan: Plan{a.Question, e.Layout, e.Framework.Name}, Answer: a, Framework: e.Framework, Estimate: *e}
}

// Solve predicts a plan. The answer of an earlier point serves again where the
// question is the same.
func Solve(p Plan, earlier *ask.Answer) Point {
	pt := Point{Plan: p, Answer: earlier}
	if earlier == nil || earlier.Question != p.Question {
		a, err := answer(p.Question)
		if err != nil {
			pt.Broken = reason(err)
			return pt
		}
		pt.Answer = a
	}
	pt.Plan.Question = pt.Answer.Question
	pt.solve()
	return pt
}

func (pt *Point) solve() {
	p := pt.Answer.Problem
	l, v := knobs.Spread(p, &pt.Layout, pt.Layout)
	if v != nil {
		pt.Broken = short(v)
		return
	}
	*pt = pt.first(func(f *strategies.Profile) (strategies.Layout, *strategies.Violation) { return l, p.Check(&l, f) })
}

// Stated reports whether the layout alone does not say which framework runs it:
// another, preferred, could too.
func (pt *Point) Stated() bool {
	for _, f := range pt.Answer.Problem.Profiles {
		if pt.Answer.Problem.Check(&pt.Layout, f) == nil {
			return f.Name != pt.Under
		}
	}
	return false
}

// turned is the point with a dimension of its layout at another value.
func (pt *Point) turned(k *knobs.Knob, to string) Point {
	return pt.first(func(f *strategies.Profile) (strategies.Layout, *strategies.Violation) {
		return k.Turn(pt.Answer.Problem, f, pt.Layout, to)
	})
}

// first is the point at the layout that a framework runs: its own, else the
// first that can. Where none can, a fault of the layout is told rather than one
// framework's.
func (pt *Point) first(layout func(*strategies.Profile) (strategies.Layout, *strategies.Violation)) Point {
	var broken *Point
	var rule strategies.Rule
	for _, f := range pt.frameworks() {
		l, v := layout(f)
		out := pt.under(f, l, v)
		if v == nil {
			return out
		}
		if broken == nil || rule == strategies.RuleFramework && v.Rule != strategies.RuleFramework {
			broken, rule = &out, v.Rule
		}
	}
	return *broken
}

// frameworks are those of the question, the point's own first.
func (pt *Point) frameworks() []*strategies.Profile {
	all := slices.Clone(pt.Answer.Problem.Profiles)
	slices.SortStableFunc(all, func(a, b *strategies.Profile) int {
		return map[string]int{pt.Under: -1}[a.Name] - map[string]int{pt.Under: -1}[b.Name]
	})
	return all
}

// under is the point at another layout under a framework, or broken by v.
func (pt *Point) under(f *strategies.Profile, l strategies.Layout, v *strategies.Violation) Point {
	if v != nil {
		return Point{Plan: Plan{pt.Question, l, pt.Under}, Answer: pt.Answer, Broken: short(v)}
	}
	e := pt.Answer.Problem.Estimate(l, f)
	bands.Fill(pt.Answer.Problem, &e)
	return At(pt.Answer, &e)
}

func short(v *strategies.Violation) string { return v.Reason + ": " + v.Remedy }

// reason returns the fault of an error on one line.
func reason(err error) string {
	var e *catalog.Error
	if errors.As(err, &e) && len(e.Faults) > 0 {
		return e.Faults[0]
	}
	return strings.ReplaceAll(err.Error(), "\n", " ")
}
