package show

import (
	"cmp"
	"fmt"
	"strings"

	"planner/costmodel/collective"
	"planner/strategies"
)

// fitted is the share of a call's time that a fitted constant leaves exposed.
type fitted struct {
	Name  string // of the constant in presets/profiles/fit.toml; "": none applies
	Value float64
	Least bool // more stays exposed where the work beside the call is too short
	Hider string
}

// fittedOf returns the constant that applies to a call: those that a step makes
// once, gathers and exchanges that attention waits for, and sends are counted
// whole or not at all.
func fittedOf(x *strategies.Explanation, c *collective.Call) fitted {
	f := x.Framework.FitFor(x.Cluster.GPU.Arch)
	once := c.Phase == collective.Optimizer || !c.Phase.InStep()
	switch {
	case c.Axis == collective.AxisDP && c.Overlaps == "" && x.Framework.Comm.Overlapped: // counted whole
	case c.Axis == collective.AxisDP && c.Phase.InStep():
		return fitted{Name: "dp_exposed", Value: f.DPExposed, Least: true}
	case once:
	case c.Axis == collective.AxisTP && c.Overlaps != "":
		return fitted{Name: "tp_beside", Value: f.TPBeside}
	case c.Axis == collective.AxisTP:
		return tensorShare(x, f, c)
	case c.Axis == collective.AxisCP && c.Overlaps != "" && c.Op != collective.Recv: // counted with its send
		return fitted{Name: "cp_exposed", Value: f.CPExposed, Least: true}
	case c.Axis == collective.AxisEP:
		return fitted{Name: "ep_exposed", Value: f.EPExposed}
	case c.Axis == collective.AxisPP && c.Op == collective.Recv:
		return fitted{Name: "pp_exposed", Value: f.PPExposed}
	}
	return fitted{}
}

// tensorShare is the share of a TP call that nothing of its own layer hides.
func tensorShare(x *strategies.Explanation, f *strategies.ProfileFit, c *collective.Call) fitted {
	share := fitted{Name: "tp_exposed", Value: x.Framework.TensorExposed(f, x.Cluster, &x.Layout, &c.Span)}
	if x.Framework.Userbuffers(x.Cluster, &x.Layout, &c.Span) && !atEnds(c) {
		share.Hider = "products before and after it hide the rest (tp_comm_overlap)"
	}
	return share
}

// atEnds reports a TP call of the embedding, the head or the loss, whose products
// are not Transformer Engine's.
func atEnds(c *collective.Call) bool {
	for _, end := range []string{"embedding", "logits", "loss"} {
		if strings.HasPrefix(c.Purpose, end) {
			return true
		}
	}
	return false
}

// part reports whether the constant hides a part of a call, and which.
func (f *fitted) part() bool { return f.Name != "" && f.Value < 1 }

// Beside names what hides a call in the cell of a table: the work that runs
// beside it or, where only a fitted share is exposed, the constant that says so.
func Beside(x *strategies.Explanation, c *collective.Call) string {
	share := fittedOf(x, c)
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
	share := fittedOf(x, c)
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
		return fmt.Sprintf("A fitted share of %.3g is exposed (%s); %s", f.Value, by, cmp.Or(f.Hider, "what hides the rest is not modelled"))
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
