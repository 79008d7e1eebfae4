package tui

import (
	"bytes"
	"fmt"
	"strings"

	"planner/internal/show"
	"planner/internal/tui/state"
)

var tabNames = [...]string{"1 step", "2 memory", "3 calls", "4 groups", "5 timeline"}

// detail draws one part of what explains the selected layout.
func (d *drawing) detail(h int) []string {
	x := d.s.Selected
	if x == nil {
		return d.box("detail", []string{" no layout is selected"}, h)
	}
	lines := []string{d.tabs(), " " + figures(&x.Point), ""}
	room := h - 2 - len(lines)
	switch d.s.Tab {
	case state.Step:
		lines = append(lines, d.scrolled(d.stepTab(x), room)...)
	case state.Memory:
		lines = append(lines, d.scrolled(d.memoryTab(x), room)...)
	case state.Calls:
		lines = append(lines, d.callsTab(x, room)...)
	case state.Groups:
		lines = append(lines, d.scrolled(d.groupsTab(x), room)...)
	case state.Timeline:
		lines = append(lines, d.timelineTab(x, room)...)
	}
	return d.box(x.Layout.String()+" · "+x.Framework.Name, lines, h)
}

func (d *drawing) tabs() string {
	var out []string
	for i, n := range tabNames {
		if state.Tab(i) == d.s.Tab {
			out = append(out, d.t.cursor.Render("["+n+"]"))
		} else {
			out = append(out, d.t.dim.Render(" "+n+" "))
		}
	}
	return " " + strings.Join(out, " ")
}

// scrolled returns the lines from the scroll on, as many as fit.
func (d *drawing) scrolled(lines []string, room int) []string {
	from := max(0, min(d.s.Scroll, len(lines)-room))
	out := lines[from:min(len(lines), from+room)]
	if from+room < len(lines) && room > 1 {
		out = append(out[:room-1:room-1], d.t.dim.Render(fmt.Sprintf(" … %d more lines: ↓", len(lines)-from-room+1)))
	}
	return out
}

// stepTab is the step as a bar and as formula, numbers and sentence.
func (d *drawing) stepTab(x *state.Explained) []string {
	e, w := &x.Estimate, d.s.W-4
	out := []string{" " + d.bar(segments(state.Parts(e)), float64(e.Step), w-2), ""}
	for _, p := range state.Parts(e) {
		share := p.Seconds / float64(e.Step)
		if p.Seconds == 0 {
			continue
		}
		bar := d.bar([]segment{{p.Name, p.Letter, share}}, 1, max(10, w-40))
		out = append(out, fmt.Sprintf("  %s %-10s %9.3f s %5.1f %%  ", d.style(p.Name).Render(p.Letter), p.Name, p.Seconds, 100*share)+bar)
	}
	out = append(out, fmt.Sprintf("    %-10s %9.3f s %5.1f %%", "sum", e.Step, 100.0))
	if e.High > e.Low {
		out = append(out, "", fmt.Sprintf("  band: 80 %% of comparable measured runs lie in %.2f–%.2f s", e.Low, e.High))
	}
	out = append(out, "")
	for _, y := range x.Why {
		out = append(out, d.wrapped(y, "  ")...)
	}
	return append(out, d.explained(x)...)
}

// explained are the sections of `planner explain` on the step and on what
// takes too much of it.
func (d *drawing) explained(x *state.Explained) []string {
	var b bytes.Buffer
	if err := show.Explain(&b, x.Answer, x.X, "slowest"); err != nil {
		return []string{err.Error()}
	}
	text := b.String()
	var out []string
	if _, why, ok := strings.Cut(text, "\nWHY\n"); ok {
		why, _, _ = strings.Cut(why, "\nCALLS")
		out = append(out, "", " WHY")
		for _, l := range strings.Split(strings.TrimRight(why, "\n"), "\n") {
			text := strings.TrimLeft(l, " ")
			out = append(out, d.wrapped(text, l[:len(l)-len(text)])...)
		}
	}
	if at := strings.Index(text, "\nDIAGNOSIS"); at >= 0 {
		out = append(out, "")
		for _, l := range strings.Split(strings.TrimSpace(text[at:]), "\n") {
			out = append(out, d.wrapped(l, " ")...)
		}
	}
	return out
}

// memoryTab is the memory of every stage by component against what is usable.
func (d *drawing) memoryTab(x *state.Explained) []string {
	limit := x.Answer.Problem.Capacity().GiB()
	w := max(20, d.s.W-34)
	out := []string{fmt.Sprintf(" GiB of one GPU of each stage; a full bar is the %.1f GiB that are usable", limit), ""}
	for _, st := range x.X.Stages {
		var parts []segment
		for _, c := range show.Components(&st.Memory) {
			parts = append(parts, segment{c.Name, memoryLetter[c.Name], c.Bytes.GiB()})
		}
		mark := ""
		if t := st.Total().GiB(); t > limit {
			mark = fmt.Sprintf(" ! %.1f short", t-limit)
		}
		out = append(out, fmt.Sprintf(" stage %-3d %6.1f ", st.Stage, st.Total().GiB())+d.bar(parts, limit, w)+d.t.bad.Render(mark))
	}
	out = append(out, "", d.memoryHead(x))
	shown := stagesShown(x, (d.s.W-20)/9)
	for i, c := range show.Components(&x.Estimate.Memory) {
		line := fmt.Sprintf("  %s %-14s", d.style(c.Name).Render(memoryLetter[c.Name]), c.Name)
		for _, s := range shown {
			line += fmt.Sprintf("%8.2f ", show.Components(&x.X.Stages[s].Memory)[i].Bytes.GiB())
		}
		out = append(out, line)
	}
	line := fmt.Sprintf("    %-14s", "total")
	for _, s := range shown {
		line += fmt.Sprintf("%8.2f ", x.X.Stages[s].Total().GiB())
	}
	return append(out, line)
}

var memoryLetter = map[string]string{"weights": "w", "gradients": "▓", "master": "▚", "moments": "▒", "activations": "█", "logits": "▞",
	"buffers": "░", "fragmentation": "·", "runtime": "_"}

func (d *drawing) memoryHead(x *state.Explained) string {
	line := fmt.Sprintf("    %-14s", "")
	for _, s := range stagesShown(x, (d.s.W-20)/9) {
		line += fmt.Sprintf("%8s ", fmt.Sprintf("stage %d", s))
	}
	return d.t.dim.Render(line)
}

// stagesShown are as many stages as fit, the last and the fullest among them.
func stagesShown(x *state.Explained, room int) []int {
	n := len(x.X.Stages)
	var out []int
	for s := range n {
		if n <= room || s < room-2 || s == n-1 || s == x.Estimate.Fullest {
			out = append(out, s)
		}
	}
	return out
}
