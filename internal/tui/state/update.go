package state

import (
	"maps"

	"planner/internal/tui/filter"
)

// Update returns the state after an event, and the effects to carry out.
func (s State) Update(e Event) (State, []Effect) {
	switch e := e.(type) {
	case Key:
		return s.key(string(e))
	case Resize:
		s.W, s.H = e.W, e.H
		return s.selected(), nil
	case Click:
		return s.click(e), nil
	case Wheel:
		return s.move(3 * int(e)), nil
	case News:
		return s.news(e), nil
	case Scaled:
		if e.Gen == s.Scales {
			s.Scale = insert(s.Scale, e.Point)
		}
	case Told:
		s.Message = string(e)
	case Ran:
		s.Lines, s.Scroll = lines(e.Output), 0
		s.Message = e.Command
		if s.View != Output && s.Prompt.Kind == NoPrompt {
			s = s.open(Output)
		}
	}
	return s, nil
}

func (s State) open(v View) State {
	if s.View != v {
		s.Back = append(s.Back[:len(s.Back):len(s.Back)], s.View)
	}
	s.View = v
	return s
}

func (s State) back() State {
	if n := len(s.Back); n > 0 {
		s.View, s.Back = s.Back[n-1], s.Back[:n-1]
		return s
	}
	return s
}

// escape goes back; on the table it lets go of the filter, then of the pin.
func (s State) escape() (State, []Effect) {
	switch {
	case len(s.Back) > 0:
		return s.back(), nil
	case s.Filter.Text != "":
		return s.filtered(filter.Filter{})
	case s.Pin != nil:
		s.Pin, s.Message = nil, "unpinned"
		return s.selected(), nil
	}
	return s, nil
}

// key handles a key: the prompt first, then what works everywhere, then the
// view.
func (s State) key(k string) (State, []Effect) {
	if k == "ctrl+c" {
		s.Quit = true
		return s, []Effect{Cancel{}, Quit{}}
	}
	if s.Prompt.Kind != NoPrompt {
		return s.typed(k)
	}
	s.Message = ""
	if s.View == Help {
		return s.back(), nil
	}
	if next, effects, done := s.global(k); done {
		return next, effects
	}
	return s.local(k)
}

// global handles keys that mean the same on every screen.
func (s State) global(k string) (State, []Effect, bool) {
	switch k {
	case "q":
		s.Quit = true
		return s, []Effect{Cancel{}, Quit{}}, true
	case "esc":
		next, effects := s.escape()
		return next, effects, true
	case "?":
		return s.open(Help), nil, true
	case "c":
		return s, []Effect{Copy{s.Command()}}, true
	case "ctrl+x":
		s.Running, s.Message = false, "search stopped: R searches again"
		return s, []Effect{Cancel{}}, true
	case "R":
		next, effects := s.search()
		return next, effects, true
	case ":":
		return s.ask(CommandPrompt, ""), nil, true
	case "o", "x", "r", "v":
		next, effects := s.out(k)
		return next, effects, true
	case "t":
		if s.View != Sensitivity {
			return s.sensitivity(), nil, true
		}
	}
	return s, nil, false
}

func (s State) local(k string) (State, []Effect) {
	switch s.View {
	case Table:
		return s.tableKey(k)
	case Detail:
		return s.detailKey(k), nil
	case WhatIf:
		return s.whatIfKey(k)
	case Pareto:
		return s.paretoKey(k), nil
	case Scaling:
		return s.scalingKey(k), nil
	case Sensitivity:
		return s.sensitivityKey(k), nil
	case Columns:
		return s.columnsKey(k), nil
	case Output:
		s.Scroll = max(0, min(s.Scroll+stride(k, s.H-6), len(s.Lines)-1))
	}
	return s, nil
}

// stride returns how far a key moves in a list with pages of page lines.
func stride(k string, page int) int {
	switch k {
	case "up", "k":
		return -1
	case "down", "j":
		return 1
	case "pgup", "ctrl+b":
		return -page
	case "pgdown", "ctrl+f":
		return page
	case "home", "g":
		return -1 << 30
	case "end", "G":
		return 1 << 30
	}
	return 0
}

// move moves the cursor of the view, as the wheel does.
func (s State) move(by int) State {
	switch s.View {
	case Table:
		s.Cursor += by
		return s.selected()
	case Detail:
		return s.scroll(by)
	case WhatIf:
		s.Knob += by / max(1, abs(by))
		return s.clampKnob()
	case Output:
		s.Scroll = max(0, min(s.Scroll+by, len(s.Lines)-1))
	}
	return s
}

func abs(n int) int { return max(n, -n) }

// toggled returns a copy of a set with one key turned.
func toggled(set map[string]bool, key string) map[string]bool {
	set = maps.Clone(set)
	if set[key] {
		delete(set, key)
	} else {
		set[key] = true
	}
	return set
}
