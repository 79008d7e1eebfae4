package tui

import (
	"fmt"
	"strings"

	"planner/internal/show"
	"planner/internal/tui/state"
	"planner/strategies"
)

// table draws the ranked layouts and the one under the cursor.
func (d *drawing) table() []string {
	rows := d.s.TableRows()
	if d.s.Small() {
		return d.smallTable(rows)
	}
	lines := []string{d.head()}
	for i := range rows {
		lines = append(lines, d.row(d.s.Top+i))
	}
	if len(d.s.Visible) == 0 {
		lines = append(lines[:1], d.nothing()...)
	}
	out := d.box(d.s.Title(), lines, rows+3)
	out[len(out)-1] = d.foot()
	return append(out, d.box("selected", d.selection(d.s.PanelLines()-2), d.s.PanelLines())...)
}

// nothing says why the table is empty.
func (d *drawing) nothing() []string {
	if d.s.Running {
		return []string{"", "   searching …"}
	}
	out := []string{"", "   no layout passes"}
	if d.s.Filter.Text != "" {
		out = append(out, "   filter: "+d.s.Filter.Text+" (/ changes it)")
	}
	if d.s.Fit == state.FitOnly {
		out = append(out, "   f shows the layouts that do not fit, with what they lack")
	}
	for rule, n := range d.s.Found.Rejected {
		out = append(out, fmt.Sprintf("   %s refused by rule %s", show.Count(n), rule))
	}
	return out
}

func (d *drawing) foot() string {
	n := len(d.s.Visible)
	text := fmt.Sprintf(" %s–%s of %s rows ", show.Count(min(d.s.Top+1, n)), show.Count(min(n, d.s.Top+d.s.TableRows())), show.Count(n))
	if d.s.Found.Fitting > len(d.s.Found.Ranking) {
		text += fmt.Sprintf("(the fastest of %s that fit) ", show.Count(d.s.Found.Fitting))
	}
	return d.t.frame.Render("╰─"+text+strings.Repeat("─", max(0, d.s.W-3-len([]rune(text))))) + d.t.frame.Render("╯")
}

func (d *drawing) head() string {
	var b strings.Builder
	b.WriteString("   ")
	widths := d.s.Widths()
	for i, c := range d.s.Shown() {
		b.WriteString(cell(d.s.Head(&c), widths[i], c.Left) + " ")
	}
	rest := " step: █ compute ▓ TP ▚ CP ▞ EP · bubble ▒ PP ░ DP o opt _ overhead"
	if d.s.Pin != nil {
		rest = " against the pin"
	}
	return d.t.dim.Render(b.String() + rest)
}

func cell(text string, w int, left bool) string {
	if left {
		return fit(text, w)
	}
	return right(text, w)
}

// row draws row at of the visible ones.
func (d *drawing) row(at int) string {
	if at >= len(d.s.Visible) {
		return ""
	}
	r := &d.s.Rows[d.s.Visible[at]]
	var b strings.Builder
	b.WriteString(d.marks(at, r))
	widths := d.s.Widths()
	for i, c := range d.s.Shown() {
		b.WriteString(cell(c.Cell(d.s.Answer.Problem, r), widths[i], c.Left) + " ")
	}
	text := fit(b.String(), len([]rune(b.String())))
	space := d.s.W - 3 - len([]rune(text))
	switch {
	case at == d.s.Cursor:
		return d.t.cursor.Render(text) + " " + d.tail(r, space)
	case r.Rank == 0:
		return d.t.dim.Render(text) + " " + d.tail(r, space)
	}
	return text + " " + d.tail(r, space)
}

// marks are the cursor, and whether the row is marked or pinned.
func (d *drawing) marks(at int, r *state.Row) string {
	out := []rune("   ")
	if at == d.s.Cursor {
		out[0] = '▶'
	}
	if d.s.Marks[r.Key()] {
		out[1] = '●'
	}
	if d.s.Pin != nil && d.s.Pin.Layout == r.Estimate.Layout && d.s.Pin.Question == d.s.Answer.Question {
		out[1] = '◆'
	}
	return string(out)
}

// tail is what follows the columns: what is missing, the difference from the
// pin, or the bar of the step.
func (d *drawing) tail(r *state.Row, w int) string {
	e := r.Estimate
	if r.Rank == 0 {
		return d.t.dim.Render(missing(d.s.Answer.Problem, e))
	}
	if p := d.s.Pin; p != nil {
		return fmt.Sprintf("%+.2f s  %+.1f GiB", e.Step-p.Estimate.Step, (e.Memory.Total() - p.Estimate.Memory.Total()).GiB())
	}
	if w < 8 {
		return ""
	}
	return d.bar(segments(state.Parts(e)), d.longest(), min(w, 60))
}

// longest returns the longest step on the screen, which fills a bar.
func (d *drawing) longest() float64 {
	most := 0.0
	for _, i := range d.s.Visible[d.s.Top:min(len(d.s.Visible), d.s.Top+d.s.TableRows())] {
		most = max(most, float64(d.s.Rows[i].Estimate.Step))
	}
	return most
}

func missing(p *strategies.Problem, e *strategies.Estimate) string {
	short := (e.Memory.Total() - p.Capacity()).GiB()
	if short <= 0 {
		return "over the memory allowed"
	}
	return fmt.Sprintf("%.1f GiB short, stage %d (activations %.1f)", short, e.Fullest, e.Memory.Activations.GiB())
}
