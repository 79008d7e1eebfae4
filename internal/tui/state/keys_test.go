package state

import "planner/internal/tui/knob"

// TestKeys are keys for random walks.
var TestKeys = []string{"up", "down", "left", "right", "enter", "esc", "pgdown", "G", "g", " ", "s", "S", "f", "C", "m", "p", "w", "u", "U", "P", "#", "t", "?",
	"1", "2", "3", "4", "5", "tab", "[", "]", "+", "-", "J", "K", "/", "t", "p", "=", "2", ":", "c", "o", "x", "backspace", "ctrl+w", "ctrl+u"}

// KnobName returns the name of the knob under the cursor.
func (s *State) KnobName() string { return knob.Knobs(&s.Now)[s.Knob].Name }
