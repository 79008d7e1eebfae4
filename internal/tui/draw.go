package tui

import (
	"fmt"
	"math"
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"

	"planner/internal/show"
	"planner/internal/tui/state"
)

// drawing is one view of one state.
type drawing struct {
	s *state.State
	t *theme
}

// screen draws every line of the terminal.
func (d *drawing) screen() string {
	s := d.s
	if s.W < state.MinWidth || s.H < state.MinHeight {
		return d.tooSmall()
	}
	body := s.H - 4
	var lines []string
	lines = append(lines, d.header())
	lines = append(lines, d.body(body)...)
	for len(lines) < s.H-3 {
		lines = append(lines, "")
	}
	lines = append(lines[:s.H-3], d.message(), d.command(), d.hints())
	for i := range lines {
		lines[i] = fit(lines[i], s.W)
	}
	return strings.Join(lines, "\n")
}

func (d *drawing) body(h int) []string {
	switch d.s.View {
	case state.Detail:
		return d.detail(h)
	case state.WhatIf:
		return d.whatIf(h)
	case state.Pareto:
		return d.pareto(h)
	case state.Scaling:
		return d.scaling(h)
	case state.Sensitivity:
		return d.sensitivity(h)
	case state.Compare:
		return d.compare(h)
	case state.Columns:
		return d.columns(h)
	case state.Help:
		return d.help(h)
	case state.Output:
		return d.output(h)
	}
	return d.table()
}

// header says what is planned and how far the search is.
func (d *drawing) header() string {
	a, f := d.s.Answer, &d.s.Found
	name := a.Problem.Model.Name
	left := fmt.Sprintf(" planner  %s · %s × %s · seq %s · gbs %s · %s", name, show.Count(a.GPUs), a.Hardware, show.Count(a.SeqLen), show.Count(a.GlobalBatch), a.Precision)
	if a.Framework != "any" {
		left += " · " + a.Framework
	}
	right := fmt.Sprintf("%s legal · %s fit · %.2f s", show.Count(f.Legal), show.Count(f.Fitting), f.Elapsed.Seconds())
	if d.s.Running {
		right = fmt.Sprintf("searching %d/%d · %s legal", f.Part, f.Parts, show.Count(f.Legal))
	}
	if d.s.W < state.WideWidth {
		left = strings.Replace(left, " planner  ", " ", 1)
		left = strings.Replace(left, " · bf16", "", 1) // the usual one
		right = show.Count(f.Fitting) + " fit"
		if d.s.Running {
			right += " …"
		}
	}
	return spread(d.t.title.Render(left), d.t.dim.Render(" "+right)+" ", d.s.W)
}

func (d *drawing) message() string {
	p := &d.s.Prompt
	if p.Kind != state.NoPrompt {
		line := " " + d.t.bold.Render(p.Label()) + p.Text + "▏"
		if p.Fault != "" {
			line += "  " + d.t.bad.Render(p.Fault)
		} else if p.Kind == state.FilterPrompt {
			line += d.t.dim.Render("  tp=8 zero>=1 mem<70GiB mfu>0.45 !cp=2 /regex/ · tab completes")
		}
		return line
	}
	return " " + d.s.Message
}

func (d *drawing) command() string { return d.t.dim.Render("$ ") + d.s.Command() }

func (d *drawing) hints() string {
	var b strings.Builder
	for _, h := range state.Hints(d.s.View) {
		part := " " + d.t.bold.Render(h.Keys) + " " + d.t.dim.Render(h.Hint) + " "
		if ansi.StringWidth(b.String())+ansi.StringWidth(part) > d.s.W-12 && h.Keys != "?" {
			continue
		}
		b.WriteString(part)
	}
	return b.String()
}

// fit cuts or pads a line to w cells.
func fit(line string, w int) string {
	n := ansi.StringWidth(line)
	if n > w {
		return ansi.Truncate(line, w, "…")
	}
	return line + strings.Repeat(" ", w-n)
}

// wrapped breaks a text into lines of the screen, each indented.
func (d *drawing) wrapped(text, indent string) []string {
	room := max(20, d.s.W-3-len(indent))
	if ansi.StringWidth(text) <= room {
		return []string{indent + text} // as it stands, columns and all
	}
	lines := []string{indent}
	used := 0
	for _, word := range strings.Fields(text) {
		n := ansi.StringWidth(word)
		if used > 0 && used+1+n > room {
			lines, used = append(lines, indent), 0
		}
		if used > 0 {
			word, n = " "+word, n+1
		}
		lines[len(lines)-1] += word
		used += n
	}
	return lines
}

// right pads on the left.
func right(text string, w int) string {
	return strings.Repeat(" ", max(0, w-ansi.StringWidth(text))) + text
}

// spread puts two texts at the ends of a line.
func spread(left, right string, w int) string {
	space := w - ansi.StringWidth(right)
	if space < 20 {
		return fit(left, w)
	}
	return fit(left, space) + right
}

// box frames lines under a title; there are h lines in all.
func (d *drawing) box(title string, lines []string, h int) []string {
	w := d.s.W
	out := []string{d.t.frame.Render("╭─ ") + d.t.title.Render(ansi.Truncate(title, w-8, "…")) + " " +
		d.t.frame.Render(strings.Repeat("─", max(0, w-5-ansi.StringWidth(ansi.Truncate(title, w-8, "…"))))+"╮")}
	for i := range h - 2 {
		line := ""
		if i < len(lines) {
			line = lines[i]
		}
		out = append(out, d.t.frame.Render("│")+fit(line, w-2)+d.t.frame.Render("│"))
	}
	return append(out, d.t.frame.Render("╰"+strings.Repeat("─", w-2)+"╯"))
}

// segment is one part of a bar.
type segment struct {
	name, letter string
	value        float64
}

// bar draws parts as one stacked bar: w cells stand for full.
func (d *drawing) bar(parts []segment, full float64, w int) string {
	var b strings.Builder
	sum, at := 0.0, 0
	for _, p := range parts {
		sum += p.value
		to := int(math.Round(sum / full * float64(w)))
		if n := min(to, w) - at; n > 0 {
			b.WriteString(d.style(p.name).Render(strings.Repeat(p.letter, n)))
			at += n
		}
	}
	return b.String()
}

func (d *drawing) style(name string) lipgloss.Style { return d.t.parts[name] }

func segments(parts []state.Part) []segment {
	var out []segment
	for _, p := range parts {
		out = append(out, segment{p.Name, p.Letter, p.Seconds})
	}
	return out
}
