package tui

import (
	"fmt"
	"strings"

	"planner/internal/show"
	"planner/internal/tui/knob"
	"planner/internal/tui/state"
)

// whatIf draws the knobs, and the plan against the pinned one.
func (d *drawing) whatIf(h int) []string {
	now := &d.s.Now
	knobs := knob.Knobs(now)
	below := d.against(now)
	room := h - 2 - len(below) - 1
	top := max(0, min(d.s.Knob-room/2, len(knobs)-room))
	lines := []string{d.t.dim.Render(fmt.Sprintf("  %-10s %s allowed: [now], × = not, ! = does not fit", "knob", fit("value", 16)))}
	for i := top; i < min(len(knobs), top+room); i++ {
		lines = append(lines, d.knob(&knobs[i], now, i == d.s.Knob))
	}
	for len(lines) < room+1 {
		lines = append(lines, "")
	}
	return d.box("what-if · ←→ change · u U undo, redo · p pin · ⏎ keep · esc drop", append(lines, below...), h)
}

// knob draws one line: the values of layouts are all solved, those of the
// question only on the line of the cursor, because each asks anew.
func (d *drawing) knob(k *knob.Knob, now *knob.Point, here bool) string {
	texts, at := k.Texts(now)
	value := "—"
	if at >= 0 && at < len(texts) {
		value = texts[at]
	}
	mark := "  "
	if here {
		mark, value = "▶ ", "◀ "+value+" ▶"
	}
	line := mark + fmt.Sprintf("%-10s ", k.Name) + fit(value, 16) + " "
	if here {
		line = d.t.cursor.Render(line)
	}
	if k.Flag != "" && !here {
		return line + d.t.dim.Render(d.window(texts, at))
	}
	return line + d.options(d.solved(k, now), d.s.W-32)
}

// solved returns the options of a knob; of a long list those near the present.
func (d *drawing) solved(k *knob.Knob, now *knob.Point) []knob.Option {
	texts, at := k.Texts(now)
	if len(texts) <= 9 {
		return k.Options(now)
	}
	return k.Near(now, max(0, at-3), min(len(texts), at+4))
}

func (d *drawing) window(texts []string, at int) string {
	if len(texts) > 9 {
		return fmt.Sprintf("%d values", len(texts))
	}
	var out []string
	for i, t := range texts {
		if i == at {
			t = "[" + t + "]"
		}
		out = append(out, t)
	}
	return strings.Join(out, " ")
}

// options draws values with their marks and the rule of the first that is not
// allowed or does not fit.
func (d *drawing) options(list []knob.Option, w int) string {
	var out []string
	rule := ""
	for i := range list {
		o := &list[i]
		text := o.Text
		switch {
		case o.Now:
			text = d.t.bold.Render("[" + text + "]")
		case !o.Legal():
			text = d.t.dim.Render(text + "×")
		case !o.Estimate.Fits:
			text = d.t.dim.Render(text + "!")
		}
		out = append(out, text)
		if r := o.Rule(); r != "" && rule == "" && !o.Now {
			rule = o.Text + ": " + r
		}
	}
	line := strings.Join(out, " ")
	room := max(38, w/3)
	return fit(line, min(room, w)) + "  " + d.t.dim.Render(rule)
}

// against draws the pinned plan, the present one and the change.
func (d *drawing) against(now *knob.Point) []string {
	head := fmt.Sprintf(" %-8s %9s %7s %8s", "", "step s", "MFU %", "mem GiB")
	for _, p := range state.Parts(&now.Estimate)[:8] {
		if d.wide(p.Name) {
			head += fmt.Sprintf(" %8s", p.Name)
		}
	}
	out := []string{"", d.t.dim.Render(head + fmt.Sprintf(" %8s", "rest"))}
	pin := d.s.Pin
	if pin != nil {
		out = append(out, d.figuresLine("pinned", pin)+"  "+pin.Layout.String())
	}
	if !now.Legal() {
		return append(out, " now      "+d.t.bad.Render(now.Broken))
	}
	out = append(out, d.figuresLine("now", now)+"  "+now.Layout.String())
	if pin != nil {
		out = append(out, d.changeLine(pin, now))
	}
	return append(out, d.verdict(pin, now)...)
}

// wide reports whether a term has room for a column.
func (d *drawing) wide(term string) bool {
	return term != "EP" && term != "CP" && term != "other" || d.s.W >= state.WideWidth
}

func (d *drawing) figuresLine(name string, pt *knob.Point) string {
	e := &pt.Estimate
	line := fmt.Sprintf(" %-8s %9.3f %7s %8.1f", name, e.Step, show.Percent(pt.Answer.Problem.Rates(e).MFU), e.Memory.Total().GiB())
	rest := 0.0
	for i, p := range state.Parts(e) {
		if i < 8 && d.wide(p.Name) {
			line += fmt.Sprintf(" %8.3f", p.Seconds)
		} else {
			rest += p.Seconds
		}
	}
	return line + fmt.Sprintf(" %8.3f", rest)
}

func (d *drawing) changeLine(pin, now *knob.Point) string {
	a, b := &pin.Estimate, &now.Estimate
	line := fmt.Sprintf(" %-8s %+9.3f %+7.1f %+8.1f", "change", b.Step-a.Step,
		100*(now.Answer.Problem.Rates(b).MFU-pin.Answer.Problem.Rates(a).MFU), (b.Memory.Total() - a.Memory.Total()).GiB())
	rest := 0.0
	pa, pb := state.Parts(a), state.Parts(b)
	for i := range pa {
		if i < 8 && d.wide(pa[i].Name) {
			line += fmt.Sprintf(" %+8.3f", pb[i].Seconds-pa[i].Seconds)
		} else {
			rest += pb[i].Seconds - pa[i].Seconds
		}
	}
	return d.t.bold.Render(line + fmt.Sprintf(" %+8.3f", rest))
}

// verdict says whether the plan fits, where it stands and what moved it.
func (d *drawing) verdict(pin, now *knob.Point) []string {
	var out []string
	e := &now.Estimate
	limit := now.Answer.Problem.Capacity()
	switch {
	case !e.Fits:
		out = append(out, " "+d.t.bad.Render(fmt.Sprintf("does not fit: %.1f GiB short in stage %d", (e.Memory.Total()-limit).GiB(), e.Fullest)))
	case d.s.RankOf(now) > 0:
		out = append(out, fmt.Sprintf(" fits in %.1f GiB · %s · now rank %s of %s", limit.GiB(), now.Framework.Name, show.Count(d.s.RankOf(now)), show.Count(d.s.Found.Fitting)))
	default:
		out = append(out, fmt.Sprintf(" fits in %.1f GiB · %s · %s tok/s/GPU", limit.GiB(), now.Framework.Name, show.Count(int(now.Answer.Problem.Rates(e).TokensPerSecondPerGPU))))
	}
	if pin != nil && pin.Plan != now.Plan {
		for _, y := range state.Against(now.Answer.Problem, e, &pin.Estimate, "the pinned layout") {
			out = append(out, " "+y)
		}
	}
	return out
}
