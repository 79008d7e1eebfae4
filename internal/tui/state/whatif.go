package state

import (
	"fmt"

	"planner/internal/tui/knob"
)

// History is what undo and redo step through.
type History struct{ Past, Future []knob.Plan }

// whatIf opens the steppers on the row under the cursor.
func (s State) whatIf() State {
	if s.Selected == nil {
		s.Message = nothingYet
		return s
	}
	if s.Now.Plan != s.Selected.Plan {
		s.Now, s.Base, s.Steps = s.Selected.Point, s.Selected.Point, History{}
	}
	return s.open(WhatIf).clampKnob()
}

// Reference returns the plan that what-if compares with, and its name: the
// pinned one, else the start.
func (s *State) Reference() (*knob.Point, string) {
	if s.Pin != nil {
		return s.Pin, "pinned"
	}
	return &s.Base, "start"
}

func (s State) clampKnob() State {
	n := len(knob.Knobs(&s.Now))
	s.Knob = max(0, min(s.Knob, n-1))
	return s
}

func (s State) whatIfKey(k string) (State, []Effect) {
	switch k {
	case "up", "k":
		s.Knob--
	case "down", "j", "tab":
		s.Knob++
	case "left", "h", "-":
		return s.step(-1), nil
	case "right", "l", "+":
		return s.step(1), nil
	case "u", "ctrl+z":
		return s.undo(), nil
	case "U", "ctrl+r", "ctrl+y":
		return s.redo(), nil
	case "p":
		return s.pin(), nil
	case "enter":
		return s.keep()
	}
	return s.clampKnob(), nil
}

// step turns the knob to the next legal value, and says what it skipped.
func (s State) step(by int) State {
	knobs := knob.Knobs(&s.Now)
	if s.Knob >= len(knobs) {
		return s
	}
	k := knobs[s.Knob]
	to, skipped, ok := k.Step(&s.Now, by)
	if len(skipped) > 0 {
		s.Message = fmt.Sprintf("%s %s: %s", k.Name, skipped[0].Text, skipped[0].Broken)
	}
	if !ok {
		if len(skipped) == 0 {
			s.Message = k.Name + ": no further value"
		}
		return s
	}
	return s.change(to.Point)
}

// change makes a point the present one and remembers the one before.
func (s State) change(to knob.Point) State {
	past := s.Steps.Past
	s.Steps = History{Past: append(past[:len(past):len(past)], s.Now.Plan)}
	s.Now = to
	return s.clampKnob()
}

func (s State) undo() State {
	n := len(s.Steps.Past)
	if n == 0 {
		s.Message = "nothing to undo"
		return s
	}
	to := s.Steps.Past[n-1]
	future := s.Steps.Future
	s.Steps = History{s.Steps.Past[:n-1], append(future[:len(future):len(future)], s.Now.Plan)}
	s.Now = knob.Solve(to, s.Now.Answer)
	return s.clampKnob()
}

func (s State) redo() State {
	n := len(s.Steps.Future)
	if n == 0 {
		s.Message = "nothing to redo"
		return s
	}
	to := s.Steps.Future[n-1]
	past := s.Steps.Past
	s.Steps = History{append(past[:len(past):len(past)], s.Now.Plan), s.Steps.Future[:n-1]}
	s.Now = knob.Solve(to, s.Now.Answer)
	return s.clampKnob()
}

// keep makes the question of the change that of the session, and searches it
// again where it differs.
func (s State) keep() (State, []Effect) {
	now := s.Now
	if now.Question == s.Answer.Question {
		for at, i := range s.Visible {
			if s.Rows[i].Estimate.Layout == now.Layout {
				s.Cursor = at
				s.Message = "kept: the cursor is on it"
				return s.back().selected(), nil
			}
		}
		s.Message = fmt.Sprintf("%s is not among the %d rows kept of the search: filter for it with /", now.Layout, len(s.Visible))
		return s.pinNow().back().selected(), nil
	}
	s.Answer = now.Answer
	s.Selected, s.Overall, s.Cursor, s.Top = nil, nil, 0, 0
	s.Found, s.Rows, s.Visible = s.Found.Empty(), nil, nil
	s.Message = "kept: searching again; the layout is pinned"
	return s.pinNow().back().search()
}

func (s State) pinNow() State {
	now := s.Now
	s.Pin = &now
	return s
}

// RankOf returns where an estimate would stand in the table, from 1.
func (s *State) RankOf(pt *knob.Point) int {
	if !pt.Estimate.Fits || pt.Question != s.Answer.Question {
		return 0
	}
	n := 1
	for i := range s.Found.Ranking {
		if s.Found.Ranking[i].Step < pt.Estimate.Step {
			n++
		}
	}
	return n
}
