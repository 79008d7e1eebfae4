package state

// Binding is one key with what it does; the help, the hint line and the cheat
// sheet are made of these.
type Binding struct {
	Keys, Help, Group string
	Hint              string // words of the hint line; "" leaves it to the help
	In                []View // nil: everywhere
}

// Bindings are all keys. Group is a column of the help.
var Bindings = []Binding{
	{"↑ ↓ j k", "row", "MOVE", "move", []View{Table, Detail, Sensitivity, Columns, Output}},
	{"PgUp PgDn", "page", "MOVE", "", []View{Table, Output}},
	{"g G", "first, last", "MOVE", "", []View{Table}},
	{"J K", "next, last layout", "MOVE", "", []View{Detail}},
	{"[ ]", "pipeline stage", "MOVE", "stage", []View{Detail}},
	{"+ - ← →", "zoom, pan a picture", "MOVE", "", []View{Detail, Pareto}},
	{"esc", "back", "MOVE", "back", []View{Detail, WhatIf, Pareto, Scaling, Sensitivity, Compare, Columns, Output}},
	{"mouse", "click row or head", "MOVE", "", nil},
	{"⏎", "detail of a layout", "LOOK", "detail", []View{Table}},
	{"1-5 tab", "the parts of a detail", "LOOK", "parts", []View{Detail}},
	{"⏎", "formula of a call", "LOOK", "formula", []View{Detail}},
	{"w", "what-if steppers", "CHANGE", "what-if", []View{Table, Detail}},
	{"/", "filter", "FIND", "filter", []View{Table}},
	{"s S", "sort on, reverse", "FIND", "sort", []View{Table, Detail}},
	{"space", "mark", "FIND", "mark", []View{Table, Columns}},
	{"p", "pin, see differences", "CHANGE", "pin", []View{Table, WhatIf}},
	{"P", "Pareto front", "LOOK", "Pareto", []View{Table}},
	{"#", "scaling over GPUs", "LOOK", "scaling", []View{Table}},
	{"t", "sensitivity: every knob to its next legal value", "LOOK", "", nil},
	{"f", "show what does not fit", "FIND", "fit", []View{Table}},
	{"C", "choose columns", "FIND", "columns", []View{Table}},
	{"m", "compare the marked", "FIND", "compare", []View{Table}},
	{"← →", "lower, raise the knob", "CHANGE", "change", []View{WhatIf}},
	{"← →", "walk the points", "MOVE", "walk", []View{Pareto, Scaling}},
	{"u U", "undo, redo", "CHANGE", "undo redo", []View{WhatIf}},
	{"⏎", "keep the change", "CHANGE", "keep", []View{WhatIf}},
	{"⏎", "try it in what-if", "CHANGE", "try", []View{Sensitivity, Pareto, Scaling}},
	{"R ctrl+x", "search again, stop", "CHANGE", "", nil},
	{"c", "copy the command (OSC 52)", "OUT", "copy", nil},
	{"o", "save JSON under a name", "OUT", "save", []View{Table, Detail, WhatIf}},
	{"x", "export to a framework", "OUT", "export", []View{Table, Detail, WhatIf}},
	{"r", "HTML report", "OUT", "report", []View{Table, Detail}},
	{"v", "how to verify these rows", "OUT", "", []View{Table, Detail}},
	{":", "run any command of planner", "OUT", "command", nil},
	{"?", "help", "OUT", "help", nil},
	{"q ctrl+c", "quit", "OUT", "quit", nil},
}

// HelpGroups are the columns of the help.
var HelpGroups = []string{"MOVE", "LOOK", "FIND", "CHANGE", "OUT"}

// Hints returns the bindings of the hint line of a view.
func Hints(v View) []Binding {
	var out []Binding
	for _, b := range Bindings {
		if b.Hint != "" && b.applies(v) {
			out = append(out, b)
		}
	}
	return out
}

func (b *Binding) applies(v View) bool {
	if b.In == nil {
		return true
	}
	for _, in := range b.In {
		if in == v {
			return true
		}
	}
	return false
}
