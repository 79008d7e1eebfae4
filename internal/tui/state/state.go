// Package state is everything that the screens of `planner explore` show, as
// plain data, and a pure Update: an event and a state give the next state and
// the effects to carry out. It knows no terminal; package tui draws it and
// runs its effects.
package state

import (
	"planner/internal/ask"
	"planner/internal/tui/filter"
	"planner/internal/tui/knob"
	"planner/internal/tui/scan"
	"planner/strategies"
)

// View is one screen.
type View int

// The screens.
const (
	Table View = iota
	Detail
	WhatIf
	Pareto
	Scaling
	Sensitivity
	Compare
	Columns
	Help
	Output // of a command that was run
)

// Tab is one part of the detail of a layout.
type Tab int

// The parts, in the order of their keys 1 to 5.
const (
	Step Tab = iota
	Memory
	Calls
	Groups
	Timeline
	NumTabs
)

// Config is what a session starts from.
type Config struct {
	Answer *ask.Answer
	Space  strategies.Space
	Limits []string // the flags that made the space, for the command line
	// Commands are the names of the commands that `:` can run.
	Commands []string
	Keep     int // layouts kept of a search; 0: 2000
}

// State is a session. Values are replaced, never changed in place, so that an
// earlier state stays what it was.
type State struct {
	Config
	W, H int

	Gen      int // counts searches, so that an old one's news is dropped
	Running  bool
	Found    scan.Found
	Overall  *strategies.Estimate // the best of the question, whatever the filter
	Rows     []Row                // what is found, ranked; those that do not fit follow
	Visible  []int                // rows that pass the filter, in the order of the sort
	Cursor   int                  // index of Visible
	Follow   string               // the row that the cursor seeks while a search runs
	Top      int                  // first of Visible on the screen
	Sort     string
	Desc     bool
	Hidden   map[string]bool
	Fit      FitMode
	Filter   filter.Filter
	Marks    map[string]bool // layout and framework of the rows marked
	Pin      *knob.Point
	Selected *Explained

	View View
	Back []View

	Tab      Tab
	Scroll   int
	Stage    int // whose calls and memory are shown; −1: the slowest
	CallSort int
	CallDesc bool
	CallAt   int
	CallOpen bool
	Zoom     int // of the timeline: 2^Zoom
	Pan      float64

	Knob  int
	Now   knob.Point // the plan of what-if
	Base  knob.Point // the plan that it started from
	Steps History

	FrontAt int
	Scale   []ScalePoint
	ScaleOf knob.Plan // the layout that Scale is about
	ScaleAt int
	Scales  int // counts the pictures asked for
	Closer  int // zoom of the Pareto picture: 2^Closer
	Effects []knob.Effect
	SensAt  int
	ColAt   int

	Prompt  Prompt
	Message string
	Lines   []string // of Output
	Quit    bool
}

// FitMode says which rows are shown.
type FitMode int

// The modes, in the order of the key f.
const (
	FitOnly FitMode = iota
	FitAll
	UnfitOnly
)

// String returns the words of the title of the table.
func (m FitMode) String() string {
	return [...]string{"fitting only", "with those that do not fit", "only those that do not fit"}[m]
}

// Row is one layout of the table.
type Row struct {
	Estimate *strategies.Estimate
	Rank     int // 0: does not fit
	Tie      int
}

// Key names a row: a layout under a framework.
func (r *Row) Key() string { return r.Estimate.Layout.String() + " " + r.Estimate.Framework.Name }

// Explained is a layout with what explains it.
type Explained struct {
	knob.Point
	X   *strategies.Explanation
	Why []string // against the best of the table
}

// ScalePoint is the best layout on another number of GPUs, and this layout
// with DP following; either may be absent.
type ScalePoint struct {
	GPUs       int
	Best, Same *strategies.Estimate
	BestMFU    float64
	SameMFU    float64
	Tokens     float64 // per second of the whole cluster, under Best
	Note       string
}

// New returns the first state, with the search that fills it.
func New(c Config, w, h int) (State, []Effect) {
	if c.Keep == 0 {
		c.Keep = 2000
	}
	s := State{Config: c, W: w, H: h, Sort: "step", Stage: -1, Hidden: map[string]bool{"hfu": true, "tok": true}, Marks: map[string]bool{}}
	return s.search()
}

// Current returns the row under the cursor, or nil.
func (s *State) Current() *Row {
	if s.Cursor < 0 || s.Cursor >= len(s.Visible) {
		return nil
	}
	return &s.Rows[s.Visible[s.Cursor]]
}

// Subject returns the plan that the screens explain: the one being changed in
// what-if, else the row under the cursor; nil when there is none.
func (s *State) Subject() *knob.Point {
	if s.View == WhatIf && s.Now.Answer != nil {
		return &s.Now
	}
	if s.Selected != nil {
		return &s.Selected.Point
	}
	return nil
}
