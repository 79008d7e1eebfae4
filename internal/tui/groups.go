package tui

import (
	"fmt"
	"strings"

	"planner/internal/show"
	"planner/internal/tui/state"
	"planner/strategies"
)

// groupsTab says where the groups of a layout sit, and draws the nodes that
// the groups of rank 0 touch.
func (d *drawing) groupsTab(x *state.Explained) []string {
	c := x.X.Cluster
	out := []string{" rank order tp-cp-ep-dp-pp, TP innermost", "", d.t.dim.Render("  group    ranks  nodes  in a node  stride  slowest link   groups")}
	for _, g := range x.X.Groups {
		out = append(out, fmt.Sprintf("  %-8s %5s %6s %10d %7s  %-12s %7s", strings.Join(g.Dims.Names(), "+"), show.Count(g.Span.Size), show.Count(c.NodesOf(g.Span)),
			g.Span.PerDomain, show.Count(g.Span.Stride), c.Tiers[g.Span.Tier].Kind, show.Count(c.GPUs/g.Span.Size)))
	}
	out = append(out, "", fmt.Sprintf(" nodes of %s that the groups of rank 0 touch:  0 rank 0%s  · others", show.Count(c.Nodes()), d.axes(&x.Layout)), "")
	out = append(out, d.nodes(&x.Layout, c.PerNode, c.GPUs, axisTo)...)
	if x.Answer.Problem.Model.Experts() == 0 {
		return out
	}
	out = append(out, "", fmt.Sprintf(" its groups of the experts, folded over the same ranks:  0 rank 0  %s ETP  %s EP  %s expert DP  · others",
		d.style("TP").Render("t"), d.style("EP").Render("E"), d.style("DP").Render("d")), "")
	return append(out, d.nodes(&x.Layout, c.PerNode, c.GPUs, expertAxisTo)...)
}

// axes is the legend of the axes that a layout has.
func (d *drawing) axes(l *strategies.Layout) (out string) {
	for _, a := range []struct {
		name string
		size int
	}{{"TP", l.TP}, {"CP", l.CP}, {"DP", l.DP}, {"PP", l.PP}} {
		if a.size > 1 {
			out += "  " + d.style(a.name).Render(a.name[:1]) + " " + a.name
		}
	}
	return out
}

// nodes draws a cell a rank, a line a row of nodes.
func (d *drawing) nodes(l *strategies.Layout, perNode, gpus int, axis axisOf) []string {
	perNode = max(1, min(perNode, 72))
	cellWidth := max(16, perNode*2+9)
	perLine := max(1, (d.s.W-4)/cellWidth)
	var out []string
	line, n := "", 0
	for node := 0; node*perNode < gpus && len(out) < 64; node++ {
		cells, touched := d.node(l, node*perNode, min(gpus, (node+1)*perNode), axis)
		if !touched {
			continue
		}
		line += fit(fmt.Sprintf("  %4d %s", node, cells), cellWidth)
		if n++; n%perLine == 0 {
			out, line = append(out, line), ""
		}
	}
	if line != "" {
		out = append(out, line)
	}
	return out
}

// node draws the ranks of a node by the axis along which they share a group
// with rank 0.
func (d *drawing) node(l *strategies.Layout, from, to int, axisTo axisOf) (cells string, touched bool) {
	var b strings.Builder
	for r := from; r < to; r++ {
		letter, axis := axisTo(l, r)
		touched = touched || axis != ""
		if axis == "" {
			b.WriteString(d.t.dim.Render(letter) + " ")
		} else {
			b.WriteString(d.style(axis).Render(letter) + " ")
		}
	}
	return b.String(), touched
}

// axisOf names the axis along which a rank shares a group with rank 0, and
// its letter.
type axisOf func(l *strategies.Layout, rank int) (letter, axis string)

// expertAxisTo is axisTo for the groups of the experts: ETP·EP·EDP fold over
// the ranks TP·CP·DP of a stage, ETP innermost.
func expertAxisTo(l *strategies.Layout, rank int) (letter, axis string) {
	switch inner := l.ETP * l.EP; {
	case rank == 0:
		return "0", "weights"
	case rank < l.ETP:
		return "t", "TP"
	case rank < inner && rank%l.ETP == 0:
		return "E", "EP"
	case rank%inner == 0 && rank < inner*l.EDP():
		return "d", "DP"
	}
	return "·", ""
}

// axisTo names the one axis along which a rank differs from rank 0.
func axisTo(l *strategies.Layout, rank int) (letter, axis string) {
	if rank == 0 {
		return "0", "weights"
	}
	for _, a := range []struct {
		name         string
		stride, size int
	}{{"TP", 1, l.TP}, {"CP", l.TP, l.CP}, {"DP", l.TP * l.CP, l.DP}, {"PP", l.TP * l.CP * l.DP, l.PP}} {
		if rank%a.stride == 0 && rank/a.stride < a.size {
			return a.name[:1], a.name
		}
	}
	return "·", ""
}
