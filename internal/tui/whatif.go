package tui

import (
	"fmt"
	"strings"

	"planner/internal/tui/knob"
)

// leastKnobs is how many lines of knobs stay on a low terminal, where the
// comparison is cut instead.
const leastKnobs = 3

// whatIf draws the knobs, and the plan against the pinned one.
func (d *drawing) whatIf(h int) []string {
	now := &d.s.Now
	knobs := knob.Knobs(now)
	below := d.against(now)
	below = below[:min(len(below), max(0, h-3-leastKnobs))]
	room := h - 2 - len(below) - 1
	top := max(0, min(d.s.Knob-room/2, len(knobs)-room))
	lines := []string{d.t.dim.Render(fmt.Sprintf("  %-10s %s allowed: [now], × = not, ! = does not fit", "knob", fit("value", 16)))}
	for i := top; i < min(len(knobs), top+room); i++ {
		lines = append(lines, d.knob(&knobs[i], now, i == d.s.Knob))
		if i == d.s.Knob {
			lines = append(lines, d.rules(&knobs[i], now)...)
		}
	}
	if len(lines) > room+1 {
		lines = lines[:room+1]
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
	return line + d.options(d.solved(k, now), d.s.W-32, here)
}

// solved returns the options of a knob; of a long list those near the present.
func (d *drawing) solved(k *knob.Knob, now *knob.Point) []knob.Option {
	key := solution{now.Plan, k.Name}
	if list, ok := d.t.solved[key]; ok {
		return list
	}
	if len(d.t.solved) > 400 {
		clear(d.t.solved)
	}
	texts, at := k.Texts(now)
	list := k.Near(now, max(0, min(at-3, len(texts)-9)), min(len(texts), max(at+4, 9)))
	d.t.solved[key] = list
	return list
}

// solution names the options of a knob of a plan.
type solution struct {
	plan knob.Plan
	knob string
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
func (d *drawing) options(list []knob.Option, w int, here bool) string {
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
	if here || w < 70 {
		return line
	}
	return fit(line, max(38, w/3)) + "  " + d.t.dim.Render(rule)
}

// rules are the reasons of what the knob under the cursor does not allow, the
// nearest first.
func (d *drawing) rules(k *knob.Knob, now *knob.Point) []string {
	var out []string
	for _, o := range d.solved(k, now) {
		if r := o.Rule(); r != "" && !o.Now && len(out) < 3 {
			mark := "!"
			if !o.Legal() {
				mark = "×"
			}
			out = append(out, d.t.dim.Render(fit("       "+o.Text+mark+" "+r, d.s.W-3)))
		}
	}
	return out
}
