package state

import (
	"cmp"
	"math"
	"slices"

	"planner/internal/catalog"
	"planner/internal/tui/knob"
)

// paretoKey walks the front; enter takes the point to what-if.
func (s State) paretoKey(k string) State {
	n := len(s.Found.Front)
	switch k {
	case "left", "h", "down", "j":
		s.FrontAt++ // the front is fastest first: slower ones need less memory
	case "right", "l", "up", "k":
		s.FrontAt--
	case "+", "=":
		s.Closer = min(s.Closer+1, 6)
	case "-":
		s.Closer = max(s.Closer-1, 0)
	case "enter":
		if s.FrontAt < n {
			s.Now, s.Steps = knob.At(s.Answer, &s.Found.Front[s.FrontAt]), History{}
			s.Base = s.Now
			return s.open(WhatIf).clampKnob()
		}
	}
	s.FrontAt = max(0, min(s.FrontAt, n-1))
	return s
}

// scaling opens the picture of other numbers of GPUs, and asks for its points.
func (s State) scaling() (State, []Effect) {
	if s.Selected == nil {
		s.Message = nothingYet
		return s, nil
	}
	s = s.open(Scaling)
	if s.ScaleOf == s.Selected.Plan {
		return s, nil
	}
	s.Scale, s.ScaleOf, s.ScaleAt = nil, s.Selected.Plan, 0
	s.Scales++
	var counts []int
	for _, k := range []float64{1, 0.5, 2, 0.25, 4, 0.125, 8} {
		n := float64(s.Answer.GPUs) * k
		if n >= 1 && n == math.Trunc(n) && n <= catalog.MaxGPUs {
			counts = append(counts, int(n))
		}
	}
	return s, []Effect{Scale{s.Scales, s.Selected.Plan, counts}}
}

func (s State) scalingKey(k string) State {
	switch k {
	case "left", "h", "up", "k":
		s.ScaleAt--
	case "right", "l", "down", "j":
		s.ScaleAt++
	case "enter":
		return s.tryScale()
	}
	s.ScaleAt = max(0, min(s.ScaleAt, len(s.Scale)-1))
	return s
}

// tryScale takes the best layout on the number of GPUs under the cursor to
// what-if, against the layout that the picture is about.
func (s State) tryScale() State {
	if s.ScaleAt >= len(s.Scale) || s.Scale[s.ScaleAt].Best == nil || s.Selected == nil {
		s.Message = "nothing fits there"
		return s
	}
	p := &s.Scale[s.ScaleAt]
	plan := knob.Plan{Question: s.ScaleOf.Question, Layout: p.Best.Layout}
	plan.Question.GPUs = p.GPUs
	s.Base, s.Steps = s.Selected.Point, History{Past: []knob.Plan{s.Selected.Plan}}
	s.Now = knob.Solve(plan, nil)
	return s.open(WhatIf).clampKnob()
}

// insert adds a point in the order of GPUs.
func insert(list []ScalePoint, p ScalePoint) []ScalePoint {
	out := append(slices.Clone(list), p)
	slices.SortFunc(out, func(a, b ScalePoint) int { return cmp.Compare(a.GPUs, b.GPUs) })
	return out
}

// sensitivity solves every knob one value lower and higher, largest effect
// first.
func (s State) sensitivity() State {
	pt := s.Subject()
	if pt == nil || !pt.Legal() {
		s.Message = nothingYet
		return s
	}
	s.Now = *pt
	if s.View != WhatIf {
		s.Base, s.Steps = *pt, History{}
	}
	s.Effects = knob.Sensitivity(pt)
	slices.SortStableFunc(s.Effects, func(a, b knob.Effect) int {
		if a.To.Legal() != b.To.Legal() {
			return map[bool]int{true: -1, false: 1}[a.To.Legal()]
		}
		return cmp.Compare(math.Abs(Gain(&b.To.Point, pt)), math.Abs(Gain(&a.To.Point, pt)))
	})
	s.SensAt = 0
	return s.open(Sensitivity)
}

// Gain returns by what share a plan does more tokens per second and GPU than
// another: what compares plans of unequal steps.
func Gain(pt, base *knob.Point) float64 {
	return pt.Answer.Problem.Rates(&pt.Estimate).TokensPerSecondPerGPU/base.Answer.Problem.Rates(&base.Estimate).TokensPerSecondPerGPU - 1
}

func (s State) sensitivityKey(k string) State {
	s.SensAt = max(0, min(s.SensAt+stride(k, 10), len(s.Effects)-1))
	if k == "enter" && s.SensAt < len(s.Effects) {
		to := s.Effects[s.SensAt].To
		if !to.Legal() {
			s.Message = to.Broken
			return s
		}
		return s.change(to.Point).open(WhatIf)
	}
	return s
}
