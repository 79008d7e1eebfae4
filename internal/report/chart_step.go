package report

import (
	"fmt"
	"html/template"

	"planner/strategies"
)

const (
	chartWidth = 1000.0
	labelWidth = 180.0
)

// waterfall draws how the dense peak becomes the MFU.
func waterfall(r *Review, mfu float64) template.HTML {
	const row, bar, plot = 30.0, 18.0, 400.0
	p := newPicture(chartWidth, row*float64(len(r.Losses)+2)+4, fmt.Sprintf("Waterfall from the dense peak to an MFU of %.1f %%", 100*mfu))
	x := func(share float64) float64 { return labelWidth + 40 + plot*share }
	y, at := 8.0, 1.0
	label := func(name, value, note, weight string) {
		p.text(labelWidth-35, y+14, "end", "lab "+weight, name)
		p.text(labelWidth+28, y+14, "end", "val "+weight, value)
		p.text(x(1)+14, y+14, "start", "note", note)
	}
	p.rect(x(0), y, plot, bar, "c-ghost", "")
	label("dense peak", "100 %", "", "")
	for _, l := range r.Losses {
		p.line(x(at), y+bar, x(at), y+row, "conn")
		y += row
		to := at - l.Points
		p.rect(x(min(at, to)), y, plot*max(abs(l.Points), 0.0015), bar, "c-"+l.Class, fmt.Sprintf("%s: %.1f points, %.3f s: %s", l.Name, 100*l.Points, l.Seconds, l.Note))
		label(l.Name, points(-l.Points), shorten(l.Note, 58), "")
		at = to
	}
	p.line(x(at), y+bar, x(at), y+row, "conn")
	y += row
	p.rect(x(0), y, plot*mfu, bar, "c-cmp", "")
	band := mfuBand(&r.Pick.Estimate, mfu)
	if e := &r.Pick.Estimate; e.High > e.Low {
		low, high := mfu*float64(e.Step/e.High), mfu*float64(e.Step/e.Low)
		p.line(x(low), y+bar/2, x(high), y+bar/2, "whisk")
		p.line(x(low), y+4, x(low), y+bar-4, "whisk")
		p.line(x(high), y+4, x(high), y+bar-4, "whisk")
	}
	label("MFU", fmt.Sprintf("%.1f %%", 100*mfu), band, "strong")
	return p.html()
}

// mfuBand says how sure an MFU is.
func mfuBand(e *strategies.Estimate, mfu float64) string {
	if e.High <= e.Low {
		return "no band is known"
	}
	return fmt.Sprintf("80 %% band %.1f … %.1f %%", 100*mfu*float64(e.Step/e.High), 100*mfu*float64(e.Step/e.Low))
}

// stepBand says how sure a step time is.
func stepBand(e *strategies.Estimate) string {
	if e.High <= e.Low {
		return "no band is known"
	}
	return fmt.Sprintf("80 %% band %.2f … %.2f s", e.Low, e.High)
}

// stepBar draws the seconds of one step by component.
func stepBar(e *strategies.Estimate) template.HTML {
	p := newPicture(chartWidth, 34, fmt.Sprintf("Step of %.3f s by component", e.Step))
	x := 0.0
	for _, l := range parts(e) {
		w := chartWidth * l.Points
		p.rect(x, 0, max(w-1.5, 0.8), 34, "c-"+l.Class, fmt.Sprintf("%s %.3f s, %.1f %%", l.Name, l.Seconds, 100*l.Points))
		if w > 140 {
			p.text(x+8, 22, "start", "inbar", fmt.Sprintf("%s %.2f s", l.Name, l.Seconds))
		}
		x += w
	}
	return p.html()
}

func abs(v float64) float64 { return max(v, -v) }

// shorten cuts a note at a word.
func shorten(s string, n int) string {
	if len(s) <= n {
		return s
	}
	cut := n
	for cut > 0 && s[cut] != ' ' {
		cut--
	}
	if cut == 0 {
		cut = n
	}
	return s[:cut] + " …"
}
