package tui

import (
	"fmt"
	"strconv"
	"strings"

	"planner/costmodel/timeline"
	"planner/hardware/unit"
	"planner/internal/show"
	"planner/internal/tui/state"
)

// pass is one micro-batch on one model chunk of a rank: kernels and the
// exposed calls among them.
type pass struct {
	kind         timeline.Kind
	micro, chunk int32
	start, end   unit.Seconds
}

// picture is the walked timeline of a layout, by rank.
type picture struct {
	of     *state.Explained
	passes [][]pass
	span   unit.Seconds
	note   string
}

// maxPasses bounds what is walked for a picture: above it a screen shows
// nothing that the formula does not.
const maxPasses = 60000

// pictured walks the timeline of a layout once.
func pictured(x *state.Explained) *picture {
	l := &x.Layout
	p := &picture{of: x}
	if n := l.PP * l.VPP * x.X.MicroBatches; n > maxPasses {
		p.note = fmt.Sprintf("%d passes are too many to draw", 2*n)
		return p
	}
	t := x.Answer.Problem.Timeline(*l, x.Framework)
	p.span = t.Makespan()
	p.passes = make([][]pass, t.Ranks)
	for i := range t.Tasks {
		p.add(&t.Tasks[i])
	}
	return p
}

// add joins a task to the pass that it is part of.
func (p *picture) add(t *timeline.Task) {
	list := p.passes[t.Rank]
	for i := len(list) - 1; i >= max(0, len(list)-3); i-- {
		if q := &list[i]; q.kind == t.Kind && q.micro == t.Micro && q.chunk == t.Chunk {
			q.start, q.end = min(q.start, t.Start), max(q.end, t.End)
			return
		}
	}
	p.passes[t.Rank] = append(list, pass{t.Kind, t.Micro, t.Chunk, t.Start, t.End})
}

// idle returns the share of the step in which a rank does nothing.
func (p *picture) idle(rank int) float64 {
	var busy, until unit.Seconds
	for _, q := range p.passes[rank] {
		from := max(q.start, until)
		if q.end > from {
			busy += q.end - from
			until = q.end
		}
	}
	return 1 - float64(busy/p.span)
}

// timelineTab draws the passes of every stage over time.
func (d *drawing) timelineTab(x *state.Explained, room int) []string {
	p := d.t.pictureOf(x)
	l := &x.Layout
	out := d.wrapped(fmt.Sprintf("%s, pp=%d vpp=%d, %d micro-batches · F─ forward B═ backward W weights g gather, reduce, optimizer · idle · ×%d",
		l.Schedule, l.PP, l.VPP, x.X.MicroBatches, 1<<d.s.Zoom), " ")
	out = append(out, "")
	if p.note != "" {
		return append(append(out, " "+p.note, ""), d.wrapped(bubbleFormula(x), " ")...)
	}
	w := d.s.W - 22
	from := float64(p.span) * d.s.Pan
	per := float64(p.span) / float64(int(1)<<d.s.Zoom) / float64(w)
	ranks := min(len(p.passes), max(1, room-7))
	first := min(d.s.Scroll, len(p.passes)-ranks)
	for r := first; r < first+ranks; r++ {
		out = append(out, fmt.Sprintf(" stage %-3d", r)+d.passes(p.passes[r], from, per, w)+fmt.Sprintf(" idle %2.0f %%", 100*p.idle(r)))
	}
	out = append(out, "          "+fit(fmt.Sprintf("%.2f s", from), w-8)+fmt.Sprintf("%.2f s", from+per*float64(w)), "")
	return append(out, d.wrapped(bubbleFormula(x), " ")...)
}

func bubbleFormula(x *state.Explained) string {
	if x.Layout.PP == 1 {
		return "one stage: nothing waits for another"
	}
	form, what, product := show.BubbleFormula(x.Answer.Problem, x.X)
	return fmt.Sprintf("bubble = %s = %s, of a step of %.3f s; %s", form, product, x.Estimate.Step, what)
}

// passes draws one rank: per is the seconds of a cell.
func (d *drawing) passes(list []pass, from, per float64, w int) string {
	cells := make([]string, w)
	for i := range cells {
		cells[i] = d.t.dim.Render("·")
	}
	for _, q := range list {
		a, b := int((float64(q.start)-from)/per+0.5), int((float64(q.end)-from)/per+0.5)
		if b <= 0 || a >= w || b <= a {
			continue
		}
		text := []rune(label(q, b-a))
		style := d.style(passStyle(q))
		for i := max(a, 0); i < min(b, w); i++ {
			cells[i] = style.Render(string(text[i-a]))
		}
	}
	return strings.Join(cells, "")
}

// label is the letter and number of a pass over n cells.
func label(q pass, n int) string {
	letter, fill := "g", "g"
	switch q.kind {
	case timeline.Forward:
		letter, fill = "F", "─"
	case timeline.Backward:
		letter, fill = "B", "═"
	case timeline.Weight:
		letter, fill = "W", "w"
	}
	if q.micro >= 0 {
		letter += strconv.Itoa(int(q.micro) + 1)
	}
	r := []rune(letter + strings.Repeat(fill, n))
	return string(r[:n])
}

// passStyle colours by direction and by the parity of the micro-batch.
func passStyle(q pass) string {
	switch {
	case q.kind == timeline.Forward && q.micro%2 == 0:
		return "compute"
	case q.kind == timeline.Forward:
		return "PP"
	case q.kind == timeline.Backward && q.micro%2 == 0:
		return "TP"
	case q.kind == timeline.Backward:
		return "weights"
	case q.kind == timeline.Weight:
		return "DP"
	}
	return "overhead"
}
