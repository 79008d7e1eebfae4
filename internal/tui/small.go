package tui

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"planner/internal/show"
	"planner/internal/tui/state"
)

// tooSmall says what would do instead of a screen, on as many lines as it takes
// and there are.
func (d *drawing) tooSmall() string {
	text := fmt.Sprintf("%d×%d: too small: make the terminal %d×%d or larger", d.s.W, d.s.H, state.MinWidth, state.MinHeight)
	lines := strings.Split(ansi.Wrap(text, max(1, d.s.W), ""), "\n")
	return strings.Join(lines[:max(1, min(len(lines), d.s.H))], "\n")
}

// smallTable shows a layout as one string and one bar, for 80 × 24.
func (d *drawing) smallTable(rows int) []string {
	room := d.s.W - 44
	out := []string{d.t.dim.Render(fmt.Sprintf("     # t  %s step s  band %% MFU %%  GiB/%.1f", fit("layout", room), d.s.Answer.Problem.Capacity().GiB()))}
	for i := range rows {
		out = append(out, d.smallRow(d.s.Top+i, room))
	}
	if len(d.s.Visible) == 0 {
		out = append(out[:1], d.nothing()...)
		for len(out) < rows+1 {
			out = append(out, "")
		}
		out = out[:rows+1]
	}
	line := d.t.frame.Render(strings.Repeat("─", d.s.W))
	return append(append(out, line), d.smallSelection()...)
}

func (d *drawing) smallRow(at, room int) string {
	if at >= len(d.s.Visible) {
		return ""
	}
	r := &d.s.Rows[d.s.Visible[at]]
	e, p := r.Estimate, d.s.Answer.Problem
	text := fmt.Sprintf("%s%4s %-2s", d.marks(at, r)[:len(d.marks(at, r))-1], state.AllColumns[0].Cell(p, r), state.AllColumns[1].Cell(p, r))
	text += " " + fit(shortLayout(e.Layout.String(), room), room) + fmt.Sprintf(" %6.2f %7s %5s %5.1f ", e.Step, state.Band(e), show.Percent(p.Rates(e).MFU), e.Memory.Total().GiB())
	full := strings.Repeat("█", min(5, int(5*float64(e.Memory.Total()/p.Capacity())+0.5)))
	switch {
	case at == d.s.Cursor:
		return d.t.cursor.Render(text) + full
	case r.Rank == 0:
		return d.t.dim.Render(text + fmt.Sprintf("-%.1f", (e.Memory.Total()-p.Capacity()).GiB()))
	}
	return text + full
}

// shortLayout drops dp, which the others imply, where the string is too long.
func shortLayout(text string, room int) string {
	if len(text) <= room {
		return text
	}
	var kept []string
	for _, pair := range strings.Split(text, ",") {
		if !strings.HasPrefix(pair, "dp=") {
			kept = append(kept, pair)
		}
	}
	return strings.NewReplacer("recompute=selective", "rec=sel", "recompute=", "rec=").Replace(strings.Join(kept, ","))
}

// smallPanel is the lines that rows, message, command and keys leave.
const smallPanel = 7

func (d *drawing) smallSelection() []string {
	x := d.s.Selected
	if x == nil {
		return nil
	}
	e := &x.Estimate
	band := ""
	if e.High > e.Low {
		band = fmt.Sprintf(" (80 %%: %.2f–%.2f)", e.Low, e.High)
	}
	head := fmt.Sprintf(" %.2f s%s %s  ", e.Step, band, x.Framework.Name)
	lines := []panelLine{{"", head + d.bar(segments(state.Parts(e)), float64(e.Step), d.s.W-len([]rune(head))-1)}, {" ", d.legend(&x.Point)}}
	mem := fmt.Sprintf("fullest: stage %d, %.1f of %.1f GiB", e.Fullest, e.Memory.Total().GiB(), x.Answer.Problem.Capacity().GiB())
	for _, c := range []string{"activations", "gradients", "weights"} {
		for _, m := range show.Components(&e.Memory) {
			if m.Name == c {
				mem += fmt.Sprintf(" · %s %.1f", c, m.Bytes.GiB())
			}
		}
	}
	lines = append(lines, panelLine{" ", mem})
	for _, y := range x.Why {
		lines = append(lines, panelLine{" ", y})
	}
	return d.wrappedWithin(lines, smallPanel)
}
