// Package knob holds what a user may change about a plan: the knobs, the
// values of each, what follows from a change, and the rule that a value
// breaks. It knows questions and layouts, not terminals.
package knob

import (
	"errors"
	"strings"

	"planner/internal/ask"
	"planner/internal/bands"
	"planner/internal/catalog"
	"planner/strategies"
)

// Plan is a question with one layout: what a step of the history holds.
type Plan struct {
	Question ask.Question
	Layout   strategies.Layout
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
	return Point{Plan: Plan{a.Question, e.Layout}, Answer: a, Framework: e.Framework, Estimate: *e}
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
	l := pt.Layout
	l.DP, l.Shard = 0, 0
	l, v := l.Complete(p.Cluster.GPUs)
	if v != nil {
		pt.Broken = short(v)
		return
	}
	l.Shard = shardOf(&pt.Layout, &l)
	pt.Layout = l
	var first *strategies.Violation
	for _, f := range p.Profiles {
		v := p.Check(&l, f)
		if v == nil {
			pt.Framework, pt.Estimate = f, p.Estimate(l, f)
			bands.Fill(p, &pt.Estimate)
			return
		}
		if first == nil || first.Rule == strategies.RuleFramework && v.Rule != strategies.RuleFramework {
			first = v
		}
	}
	pt.Broken = short(first)
}

// shardOf keeps the shard of a layout where it still divides; a shard over all
// data ranks stays one.
func shardOf(was, now *strategies.Layout) int {
	data := now.DataRanks()
	if now.Zero == 0 || was.Shard == 0 || was.Shard == was.DataRanks() || data%was.Shard != 0 {
		return data
	}
	return was.Shard
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
