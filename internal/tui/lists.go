package tui

import (
	"fmt"
	"math"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"planner/internal/show"
	"planner/internal/tui/knob"
	"planner/internal/tui/state"
)

func linesOf(text string) []string { return strings.Split(strings.TrimRight(text, "\n"), "\n") }

// sensitivity draws what one step of each knob does, left of the line faster.
func (d *drawing) sensitivity(h int) []string {
	base := &d.s.Now.Estimate
	head := fmt.Sprintf("   %-10s %-*s %9s %10s %9s", "knob", d.changeRoom(), "change", "step s", "tok/s/GPU", "GiB")
	lines := []string{fmt.Sprintf(" %s: step %.3f s, %s tokens per second and GPU, %.1f GiB", d.s.Now.Layout, base.Step,
		show.Count(int(d.s.Now.Answer.Problem.Rates(base).TokensPerSecondPerGPU)), base.Memory.Total().GiB()),
		d.t.dim.Render(head + "  " + right("fewer", d.halfBar()) + "│more")}
	most := 0.01
	for i := range d.s.Effects {
		if e := &d.s.Effects[i]; e.To.Legal() {
			most = max(most, math.Abs(state.Gain(&e.To.Point, &d.s.Now)))
		}
	}
	room := h - 4
	top := max(0, min(d.s.SensAt-room/2, len(d.s.Effects)-room))
	for i := top; i < min(len(d.s.Effects), top+room); i++ {
		line := d.effect(&d.s.Effects[i], most)
		if i == d.s.SensAt {
			line = d.t.cursor.Render("  ▶") + line[3:]
		}
		lines = append(lines, line)
	}
	return d.box("sensitivity · every knob to its next legal value · ⏎ tries it", lines, h)
}

func (d *drawing) effect(e *knob.Effect, most float64) string {
	line := fmt.Sprintf("   %-10s %s", e.Knob, fit(e.From+" → "+e.To.Text, d.changeRoom()))
	if !e.To.Legal() {
		return d.dimmed(line + " × " + e.To.Broken)
	}
	base, to := &d.s.Now.Estimate, &e.To.Estimate
	gain := state.Gain(&e.To.Point, &d.s.Now)
	line += fmt.Sprintf(" %+9.3f %+8.1f %% %+9.1f%s ", to.Step-base.Step, 100*gain, (to.Memory.Total() - base.Memory.Total()).GiB(), fitMark(to.Fits))
	half := d.halfBar()
	n := min(half, int(math.Round(math.Abs(gain)/most*float64(half))))
	left, rightBar := strings.Repeat(" ", half), strings.Repeat(" ", half)
	if gain < 0 {
		left = strings.Repeat(" ", half-n) + strings.Repeat("▓", n)
	} else {
		rightBar = fit(strings.Repeat("█", n), half)
	}
	line += d.style("TP").Render(left) + "│" + d.style("compute").Render(rightBar)
	if !to.Fits {
		line += d.t.bad.Render(" " + e.To.Rule())
	}
	return line
}

func fitMark(fits bool) string {
	if fits {
		return " "
	}
	return "!"
}

// changeRoom is the width of the column of changes.
func (d *drawing) changeRoom() int {
	if d.s.Small() {
		return 20
	}
	return 24
}

// halfBar is the room on either side of the line of no effect.
func (d *drawing) halfBar() int { return max(4, min(20, (d.s.W-72)/2)) }

// dimmed greys a line but for its first three cells, which hold the cursor.
func (d *drawing) dimmed(line string) string { return line[:3] + d.t.dim.Render(line[3:]) }

// compare draws the marked layouts side by side, against the first.
func (d *drawing) compare(h int) []string {
	rows := d.s.Compared()
	n := min(len(rows), max(2, (d.s.W-16)/22))
	p := d.s.Answer.Problem
	var lines []string
	head := fit("", 14)
	for i := range n {
		head += right(fmt.Sprintf("%c  #%d", 'A'+i, rows[i].Rank), 22)
	}
	lines = append(lines, d.t.bold.Render(head))
	line := func(name, format string, get func(r *state.Row) float64) {
		text, used := fit(" "+name, 14), false
		for i := range n {
			v := get(rows[i])
			used = used || v != 0
			cell := fmt.Sprintf(format, v)
			if i > 0 {
				cell += fmt.Sprintf(" (%+.2f)", v-get(rows[0]))
			}
			text += right(cell, 22)
		}
		if used {
			lines = append(lines, text)
		}
	}
	line("step s", "%.3f", func(r *state.Row) float64 { return float64(r.Estimate.Step) })
	line("MFU %", "%.1f", func(r *state.Row) float64 { return 100 * p.Rates(r.Estimate).MFU })
	line("memory GiB", "%.1f", func(r *state.Row) float64 { return r.Estimate.Memory.Total().GiB() })
	for i, part := range state.Parts(rows[0].Estimate) {
		line(part.Letter+" "+part.Name, "%.3f", func(r *state.Row) float64 { return state.Parts(r.Estimate)[i].Seconds })
	}
	for i, c := range show.Components(&rows[0].Estimate.Memory) {
		line(c.Name, "%.2f", func(r *state.Row) float64 { return show.Components(&r.Estimate.Memory)[i].Bytes.GiB() })
	}
	lines = append(lines, "")
	for i := range n {
		lines = append(lines, fmt.Sprintf(" %c %s · %s", 'A'+i, rows[i].Estimate.Layout, rows[i].Estimate.Framework.Name))
		if i > 0 {
			for _, y := range state.Against(p, rows[i].Estimate, rows[0].Estimate, "A") {
				lines = append(lines, "   "+y)
			}
		}
	}
	return d.box(fmt.Sprintf("compare · %d marked · differences from A in brackets", len(rows)), d.scrolled(lines, h-2), h)
}

// columns draws the chooser of columns.
func (d *drawing) columns(h int) []string {
	var lines []string
	for i, c := range state.AllColumns {
		mark := "[x] "
		if d.s.Hidden[c.Key] {
			mark = "[ ] "
		}
		line := "   " + mark + fit(c.Title, 12)
		if i == d.s.ColAt {
			line = d.t.cursor.Render(" ▶ " + line[3:])
		}
		lines = append(lines, line)
	}
	top := max(0, d.s.ColAt-(h-4))
	return d.box("columns · space shows or hides; one that is 1 in every row is left out", lines[min(top, len(lines)):], h)
}

// output draws what a command printed.
func (d *drawing) output(h int) []string {
	from := max(0, min(d.s.Scroll, len(d.s.Lines)-1))
	var lines []string
	for _, l := range d.s.Lines[from:min(len(d.s.Lines), from+h-2)] {
		lines = append(lines, " "+strings.ReplaceAll(ansi.Strip(l), "\t", "    "))
	}
	return d.box("output · ↑↓ scroll · esc back", lines, h)
}
