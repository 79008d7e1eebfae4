package tui

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"planner/costmodel/collective"
	"planner/hardware/unit"
	"planner/internal/show"
	"planner/internal/tui/state"
)

// callsTab is the table of calls of one stage, and the one opened as formula,
// numbers and sentence.
func (d *drawing) callsTab(x *state.Explained, room int) []string {
	rows := d.s.CallRows()
	var below []string
	if d.s.CallOpen && d.s.CallAt < len(rows) {
		below = d.formula(x, rows[d.s.CallAt])
	}
	space := max(3, room-len(below)-2)
	top := max(0, min(d.s.CallAt-space/2, len(rows)-space))
	arrow := "▲"
	if d.s.CallDesc {
		arrow = "▼"
	}
	out := []string{fmt.Sprintf(" one rank of stage %d of %d, one step · sorted by %s %s · total and exposed in ms", d.s.StageShown(), x.Layout.PP, state.CallSorts[d.s.CallSort], arrow),
		d.t.dim.Render(d.callLine("op", "purpose", "ph", "over", "size", "node", "tier", "type", "M", "wire", "n", "total", "expos.", "beside"))}
	for i := top; i < min(len(rows), top+space); i++ {
		line := d.callRow(x, rows[i])
		if i == d.s.CallAt {
			line = d.t.cursor.Render("▶" + line[1:])
		}
		out = append(out, line)
	}
	return append(out, below...)
}

func (d *drawing) callRow(x *state.Explained, c *collective.Call) string {
	ms := func(t unit.Seconds) string { return fmt.Sprintf("%.1f", 1e3*float64(t)) }
	return d.callLine(c.Op.String(), c.Purpose, phases[c.Phase], groupName(c, x.X.Cluster.GPUs), fmt.Sprint(c.Span.Size), fmt.Sprint(x.X.Cluster.NodesOf(c.Span)),
		string(x.X.Cluster.Tiers[c.Span.Tier].Kind), c.DType.String(), c.Bytes.Decimal(), c.Wire().Decimal(), fmt.Sprintf("%.6g", c.Count), ms(c.Total()), ms(c.Exposed), show.Beside(x.X, c))
}

var phases = map[collective.Phase]string{collective.Init: "job", collective.Forward: "fwd", collective.Backward: "bwd", collective.Optimizer: "opt", collective.Checkpoint: "ckpt"}

// groupCells is the room for the name of a group: ep+etp fits.
const groupCells = 6

// groupName names the dimensions of a group, that of every rank and others in
// short where the names are too long for the column.
func groupName(c *collective.Call, gpus int) string {
	name := strings.Join(c.Dims.Names(), "+")
	if len(name) > groupCells && c.Span.Size == gpus {
		return "world"
	}
	return ansi.Truncate(name, groupCells, "…")
}

// typedWidth is the screen on which the type of a call has room besides the
// longest of what hides it.
const typedWidth = 130

// callLine lays out one row; a narrow screen leaves columns out.
func (d *drawing) callLine(op, purpose, ph, over, size, nodes, tier, dtype, m, wire, n, total, exposed, beside string) string {
	if d.s.W < state.WideWidth {
		return fmt.Sprintf(" %-14s %s %-4s %s %4s %8s %6s %7s %7s", op, fit(purpose, 13), ph, fit(over, groupCells), size, m, n, total, exposed)
	}
	what := min(30, 16+max(0, d.s.W-typedWidth)/2)
	if d.s.W >= typedWidth {
		tier = fmt.Sprintf("%-6s %-5s", tier, dtype)
	}
	return fmt.Sprintf(" %-14s %s %-4s %s %4s %4s %-6s %7s %7s %4s %7s %7s %s", op, fit(purpose, what), ph, fit(over, groupCells), size, nodes, tier, m, wire, n, total, exposed, beside)
}

// formula explains one call: formula, numbers, sentence.
func (d *drawing) formula(x *state.Explained, c *collective.Call) []string {
	out := []string{"", d.t.bold.Render(fmt.Sprintf(" %s · %s · %s · %s of %d", c.Op, c.Purpose, c.Phase, strings.Join(c.Dims.Names(), "+"), c.Span.Size)),
		"   time  = " + show.CallFormula + ", by " + c.Algorithm.String(),
		fmt.Sprintf("         = %s = %.6g × %s = %.1f ms", show.CallNumbers(c), c.Count, c.Seconds, 1e3*float64(c.Total())),
		fmt.Sprintf("   wire  = %s = %s sent by the busiest rank of each call", show.WireFormula(c), c.Wire().Decimal())}
	return append(out, d.wrapped(d.sentence(x, c), "   ")...)
}

// sentence says where a call runs and what hides it.
func (d *drawing) sentence(x *state.Explained, c *collective.Call) string {
	where := fmt.Sprintf("Its group stays inside a node, on %s.", x.X.Cluster.Tiers[c.Span.Tier].Kind)
	if c.Span.Domains > 1 {
		where = fmt.Sprintf("Its group spans %d nodes with %d ranks in each, so %s sets the pace.", c.Span.Domains, c.Span.PerDomain, x.X.Cluster.Tiers[c.Span.Tier].Kind)
	}
	switch {
	case !c.Phase.InStep():
		return where + " Made once a job or checkpoint, so no part of the step."
	case c.Exposed == 0 && (c.Op == collective.Send || c.Op == collective.Recv):
		return where + " The other half of the pair has its time."
	case c.Exposed == 0 && c.Overlaps == "":
		return where + " None of its time is counted in the step."
	case c.Exposed == 0:
		return where + " The " + c.Overlaps + " hides it whole."
	}
	return fmt.Sprintf("%s %s. %.0f %% of it is exposed.", where, show.BesideSentence(x.X, c), 100*float64(c.Exposed/c.Total()))
}
