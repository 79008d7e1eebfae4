package state

import (
	"planner/internal/tui/knob"
	"planner/internal/tui/scan"
)

// Event is something that happened.
type Event interface{ event() }

// The events: a key by its name ("up", "ctrl+c", "/"), text typed or pasted
// into a prompt comes as keys too.
type (
	// Key is a key pressed.
	Key string
	// Resize is a new size of the terminal.
	Resize struct{ W, H int }
	// Click is the left button at a cell, from 0.
	Click struct{ X, Y int }
	// Wheel is the wheel, down positive.
	Wheel int
	// News is what a search knows so far; Done ends it.
	News struct {
		Gen   int
		Found scan.Found
		Done  bool
	}
	// Scaled is one point of the scaling picture.
	Scaled struct {
		Gen   int
		Point ScalePoint
	}
	// Told is the outcome of an effect, for the message line.
	Told string
	// Ran is the output of a command.
	Ran struct {
		Command string
		Output  string
	}
)

func (Key) event()    {}
func (Resize) event() {}
func (Click) event()  {}
func (Wheel) event()  {}
func (News) event()   {}
func (Scaled) event() {}
func (Told) event()   {}
func (Ran) event()    {}

// Effect is something to carry out.
type Effect interface{ effect() }

// The effects.
type (
	// Search starts a search; it ends any before it.
	Search struct {
		Gen int
		Job scan.Job
	}
	// Scale searches other numbers of GPUs; it ends any before it.
	Scale struct {
		Gen  int
		Plan knob.Plan
		GPUs []int
	}
	// Cancel ends the search.
	Cancel struct{}
	// Copy puts a text on the clipboard of the terminal (OSC 52).
	Copy struct{ Text string }
	// Save writes the explanation of a plan as JSON to a new file.
	Save struct {
		Path  string
		Point knob.Point
	}
	// Run runs planner with arguments.
	Run struct{ Args []string }
	// Quit ends the session.
	Quit struct{}
)

func (Search) effect() {}
func (Scale) effect()  {}
func (Cancel) effect() {}
func (Copy) effect()   {}
func (Save) effect()   {}
func (Run) effect()    {}
func (Quit) effect()   {}
