package tui

import (
	"fmt"
	"strings"

	"planner/costmodel/collective"
	"planner/hardware/unit"
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
	beside := c.Overlaps
	if beside == "" {
		beside = "—"
	}
	return d.callLine(c.Op.String(), c.Purpose, phases[c.Phase], strings.Join(c.Dims.Names(), "+"), fmt.Sprint(c.Span.Size), fmt.Sprint(x.X.Cluster.NodesOf(c.Span)),
		string(x.X.Cluster.Tiers[c.Span.Tier].Kind), c.DType.String(), c.Bytes.Decimal(), c.Wire().Decimal(), fmt.Sprintf("%.6g", c.Count), ms(c.Total()), ms(c.Exposed), beside)
}

var phases = map[collective.Phase]string{collective.Init: "job", collective.Forward: "fwd", collective.Backward: "bwd", collective.Optimizer: "opt", collective.Checkpoint: "ckpt"}

// callLine lays out one row; a narrow screen leaves columns out.
func (d *drawing) callLine(op, purpose, ph, over, size, nodes, tier, dtype, m, wire, n, total, exposed, beside string) string {
	if d.s.W < state.WideWidth {
		return fmt.Sprintf(" %-14s %s %-4s %-5s %4s %8s %6s %7s %7s", op, fit(purpose, 14), ph, cut(over, 5), size, m, n, total, exposed)
	}
	what := min(30, 18+max(0, d.s.W-120)/2)
	return fmt.Sprintf(" %-14s %s %-4s %-5s %4s %4s %-6s %-5s %8s %8s %4s %7s %7s %s", op, fit(purpose, what), ph, cut(over, 5), size, nodes, tier, dtype, m, wire, n, total, exposed, beside)
}

func cut(text string, n int) string {
	if len(text) > n {
		return "world"[:min(5, n)]
	}
	return text
}

// formula explains one call: formula, numbers, sentence.
func (d *drawing) formula(x *state.Explained, c *collective.Call) []string {
	carry := float64(c.Seconds - c.Latency)
	rate := "—"
	if carry > 0 {
		rate = unit.Bytes(float64(c.LinkBytes)/carry).Decimal() + "/s"
	}
	out := []string{"", d.t.bold.Render(fmt.Sprintf(" %s · %s · %s · %s of %d", c.Op, c.Purpose, c.Phase, strings.Join(c.Dims.Names(), "+"), c.Span.Size)),
		"   time  = count × (bytes on the link / bandwidth reached + latency), by " + c.Algorithm.String(),
		fmt.Sprintf("         = %.6g × (%s / %s + %s) = %.6g × %s = %.1f ms", c.Count, c.LinkBytes.Decimal(), rate, c.Latency, c.Count, c.Seconds, 1e3*float64(c.Total())),
		fmt.Sprintf("   wire  = %s = %s sent by the busiest rank of each call", wireFormula(c), c.Wire().Decimal())}
	return append(out, d.wrapped(d.sentence(x, c), "   ")...)
}

func wireFormula(c *collective.Call) string {
	n, m := c.Span.Size, c.Bytes.Decimal()
	switch c.Op {
	case collective.AllReduce:
		return fmt.Sprintf("2(n−1)/n × M = 2·%d/%d × %s", n-1, n, m)
	case collective.ReduceScatter, collective.AllGather, collective.AllToAll, collective.Gather, collective.Scatter:
		return fmt.Sprintf("(n−1)/n × M = %d/%d × %s", n-1, n, m)
	case collective.Recv:
		return "0 (a receive sends nothing)"
	}
	return "M = " + m
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
	case c.Overlaps == "":
		return where + " Nothing runs beside it: what follows needs its result."
	case c.Exposed == 0:
		return where + " The " + c.Overlaps + " hides it whole."
	}
	return fmt.Sprintf("%s It runs beside the %s, which leaves %.0f %% of it exposed.", where, c.Overlaps, 100*float64(c.Exposed/c.Total()))
}
