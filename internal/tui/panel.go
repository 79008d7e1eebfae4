package tui

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"planner/internal/show"
	"planner/internal/tui/knob"
	"planner/internal/tui/state"
)

// selection is the panel under the table, of at most room lines.
func (d *drawing) selection(room int) []string {
	x := d.s.Selected
	if x == nil {
		return nil
	}
	w := d.s.W - 4
	lines := []panelLine{
		{" ", d.t.bold.Render(x.Layout.String()) + "   " + figures(&x.Point)},
		{" ", "step  " + d.bar(segments(state.Parts(&x.Estimate)), float64(x.Estimate.Step), w-8)},
		{"       ", d.legend(&x.Point)},
		{"", d.stages(x, w)},
		{"       ", d.memoryLegend(x)},
	}
	for _, y := range x.Why {
		lines = append(lines, panelLine{" ", y})
	}
	return d.wrappedWithin(lines, room)
}

// panelLine is one line of a panel before it is wrapped.
type panelLine struct{ indent, text string }

// wrappedWithin wraps lines that are too long as far as room is left; the last
// first, for they say why.
func (d *drawing) wrappedWithin(lines []panelLine, room int) []string {
	blocks := make([][]string, len(lines))
	spare := room - len(lines)
	for i := len(lines) - 1; i >= 0; i-- {
		l := lines[i]
		blocks[i] = []string{l.indent + l.text}
		if ansi.StringWidth(blocks[i][0]) <= d.s.W-2 {
			continue
		}
		if wrapped := d.wrapped(l.text, l.indent); len(wrapped)-1 <= spare {
			blocks[i], spare = wrapped, spare-len(wrapped)+1
		}
	}
	var out []string
	for _, b := range blocks {
		out = append(out, b...)
	}
	return out
}

// figures are the head numbers of a point.
func figures(pt *knob.Point) string {
	e, r := &pt.Estimate, pt.Answer.Problem.Rates(&pt.Estimate)
	band := ""
	if e.High > e.Low {
		band = fmt.Sprintf(" (80 %%: %.2f–%.2f)", e.Low, e.High)
	}
	return fmt.Sprintf("step %.2f s%s   MFU %s %%   %s tok/s/GPU   bound %s   %s", e.Step, band, show.Percent(r.MFU),
		show.Count(int(r.TokensPerSecondPerGPU+0.5)), e.Bound(), pt.Framework.Name)
}

// legend names the terms of a step that show with their seconds, and their sum.
func (d *drawing) legend(pt *knob.Point) string {
	var out []string
	for _, p := range state.Parts(&pt.Estimate) {
		if p.Seconds >= 0.005 && (d.s.W >= state.WideWidth || p.Seconds > 0.002*float64(pt.Estimate.Step)) {
			out = append(out, d.style(p.Name).Render(p.Letter)+fmt.Sprintf(" %s %.2f", p.Name, p.Seconds))
		}
	}
	if d.s.W < state.WideWidth {
		return strings.Join(out, " ")
	}
	return strings.Join(out, "  ") + fmt.Sprintf("  = %.2f s", pt.Estimate.Step)
}

// stages draws the memory of the stages against what is usable.
func (d *drawing) stages(x *state.Explained, w int) string {
	limit := x.Answer.Problem.Capacity()
	var b strings.Builder
	b.WriteString(" mem  ")
	n := max(1, min(len(x.X.Stages), (w-24)/22))
	for _, st := range x.X.Stages[:n] {
		fill := float64(st.Total() / limit)
		bar := strings.Repeat("█", min(8, int(fill*8+0.5)))
		fmt.Fprintf(&b, " stage %d %s %.1f", st.Stage, fit(bar, 8), st.Total().GiB())
	}
	if n < len(x.X.Stages) {
		fmt.Fprintf(&b, " … %d stages", len(x.X.Stages))
	}
	fmt.Fprintf(&b, "  of %.1f GiB", limit.GiB())
	return b.String()
}

func (d *drawing) memoryLegend(x *state.Explained) string {
	m := &x.Estimate.Memory
	var out []string
	for _, c := range show.Components(m) {
		if c.Bytes.GiB() >= 0.05 {
			out = append(out, fmt.Sprintf("%s %.1f", c.Name, c.Bytes.GiB()))
		}
	}
	return fmt.Sprintf("stage %d, the fullest: %s", x.Estimate.Fullest, strings.Join(out, " · "))
}
