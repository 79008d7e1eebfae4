package show

import (
	"fmt"

	"planner/costmodel/collective"
	"planner/strategies"
)

// fitted is the share of a call's time that a fitted constant leaves exposed.
type fitted struct {
	Name  string // of the constant in presets/profiles/fit.toml; "": none applies
	Value float64
	Least bool // more stays exposed where the work beside the call is too short
}

// fittedOf returns the constant that applies to a call: those that a step makes
// once, gathers and exchanges that attention waits for, and sends are counted
// whole or not at all.
func fittedOf(prof *strategies.Profile, arch string, c *collective.Call) fitted {
	f := prof.FitFor(arch)
	once := c.Phase == collective.Optimizer || !c.Phase.InStep()
	switch {
	case c.Axis == collective.AxisDP && c.Phase.InStep():
		return fitted{"dp_exposed", f.DPExposed, true}
	case once:
	case c.Axis == collective.AxisTP && c.Overlaps != "":
		return fitted{"tp_beside", f.TPBeside, false}
	case c.Axis == collective.AxisTP:
		return fitted{"tp_exposed", prof.TensorExposed(f, &c.Span), false}
	case c.Axis == collective.AxisCP && c.Overlaps != "" && c.Op != collective.Recv: // counted with its send
		return fitted{"cp_exposed", f.CPExposed, true}
	case c.Axis == collective.AxisEP:
		return fitted{"ep_exposed", f.EPExposed, false}
	case c.Axis == collective.AxisPP && c.Op == collective.Recv:
		return fitted{"pp_exposed", f.PPExposed, false}
	}
	return fitted{}
}

// part reports whether the constant hides a part of a call, and which.
func (f *fitted) part() bool { return f.Name != "" && f.Value < 1 }

// Beside names what hides a call in the cell of a table: the work that runs
// beside it or, where only a fitted share is exposed, the constant that says so.
func Beside(x *strategies.Explanation, c *collective.Call) string {
	share := fittedOf(x.Framework, x.Cluster.GPU.Arch, c)
	return besideCell(c.Overlaps, &share)
}

// Beside is the cell of a row.
func (c *Call) Beside() string { return besideCell(c.Overlaps, &c.fitted) }

func besideCell(overlaps string, f *fitted) string {
	if overlaps == "" && f.part() {
		return fmt.Sprintf("%s = %.3g", f.Name, f.Value)
	}
	return dash(overlaps)
}

// BesideSentence says what hides a call, and how much of it stays exposed.
func BesideSentence(x *strategies.Explanation, c *collective.Call) string {
	share := fittedOf(x.Framework, x.Cluster.GPU.Arch, c)
	return besideSentence(c.Overlaps, &share, x.Framework.Name)
}

func besideSentence(overlaps string, f *fitted, framework string) string {
	by := fmt.Sprintf("%s of %s", f.Name, framework)
	nothing := "Nothing runs beside it"
	if overlaps != "" {
		nothing = "It is issued beside the " + overlaps
	}
	switch {
	case f.Name == "" && overlaps == "":
		return nothing
	case f.Name == "":
		return "It runs beside the " + overlaps
	case f.Value > 1:
		return fmt.Sprintf("%s, and it takes %.3g times as long as alone (%s)", nothing, f.Value, by)
	case f.Value == 1 && overlaps == "":
		return nothing
	case overlaps == "":
		return fmt.Sprintf("A fitted share of %.3g is exposed (%s); what hides the rest is not modelled", f.Value, by)
	case f.Least:
		return fmt.Sprintf("It runs beside the %s; a fitted share of %.3g stays exposed (%s), and what that work is too short for", overlaps, f.Value, by)
	}
	return fmt.Sprintf("It runs beside the %s; a fitted share of %.3g stays exposed (%s)", overlaps, f.Value, by)
}

// FittedNote explains the constants in the column of what runs beside a call;
// "" where no call has one.
func FittedNote(calls []Call) string {
	for i := range calls {
		if calls[i].Overlaps == "" && calls[i].fitted.part() {
			return "beside a call stands what hides it, or, where no work does, the fitted share of it that is exposed"
		}
	}
	return ""
}
