package tui

import (
	"fmt"
	"math"

	"github.com/NimbleMarkets/ntcharts/canvas"
	"github.com/NimbleMarkets/ntcharts/linechart"

	"planner/internal/show"
	"planner/internal/tui/state"
	"planner/strategies"
)

// pareto draws MFU against memory, and the numbers of the front below.
func (d *drawing) pareto(h int) []string {
	front := d.s.Found.Front
	if len(front) == 0 {
		return d.box("Pareto", []string{" nothing fits yet"}, h)
	}
	list := max(3, min(len(front), (h-4)/3))
	chart := d.paretoChart(h - 4 - list)
	at := max(0, min(d.s.FrontAt, len(front)-1))
	from := max(0, min(at-list/2, len(front)-list))
	for i := from; i < min(len(front), from+list); i++ {
		chart = append(chart, d.frontLine(i, i == at))
	}
	return d.box(fmt.Sprintf("Pareto · MFU %% against GiB per GPU · ● best for its memory (%d) · ←→ walk · + - zoom · ⏎ what-if", len(front)), chart, h)
}

func (d *drawing) frontLine(i int, here bool) string {
	e := &d.s.Found.Front[i]
	text := fmt.Sprintf("   %s %6s %% %6.1f GiB %7.2f s  %s", fit(e.Layout.String(), max(30, d.s.W-50)), show.Percent(d.s.Answer.Problem.Rates(e).MFU), e.Memory.Total().GiB(), e.Step, e.Framework.Name)
	if here {
		return d.t.cursor.Render("  ▶" + text[3:])
	}
	return text
}

func (d *drawing) paretoChart(h int) []string {
	p := d.s.Answer.Problem
	at := func(e *strategies.Estimate) canvas.Float64Point {
		return canvas.Float64Point{X: e.Memory.Total().GiB(), Y: 100 * p.Rates(e).MFU}
	}
	var points, best []canvas.Float64Point
	for i := range d.s.Found.Ranking {
		points = append(points, at(&d.s.Found.Ranking[i]))
	}
	for i := range d.s.Found.Front {
		best = append(best, at(&d.s.Found.Front[i]))
	}
	c := d.chart(h, d.closer(append(append([]canvas.Float64Point{}, points...), best...), best), "%.0f", "%.1f")
	inside := func(q canvas.Float64Point) bool {
		return q.X >= c.ViewMinX() && q.X <= c.ViewMaxX() && q.Y >= c.ViewMinY() && q.Y <= c.ViewMaxY()
	}
	for _, q := range points {
		if inside(q) {
			c.DrawRuneWithStyle(q, '·', d.t.dim)
		}
	}
	for _, q := range best {
		if inside(q) {
			c.DrawRuneWithStyle(q, '●', d.style("compute"))
		}
	}
	if d.s.FrontAt < len(best) {
		c.DrawRuneWithStyle(best[d.s.FrontAt], '◆', d.t.bad)
	}
	return linesOf(c.View())
}

// closer returns the corners of the part of a picture that is shown: all of
// it, or the share around the point under the cursor.
func (d *drawing) closer(points, best []canvas.Float64Point) []canvas.Float64Point {
	if d.s.Closer == 0 || d.s.FrontAt >= len(best) {
		return points
	}
	low, high := points[0], points[0]
	for _, q := range points {
		low = canvas.Float64Point{X: min(low.X, q.X), Y: min(low.Y, q.Y)}
		high = canvas.Float64Point{X: max(high.X, q.X), Y: max(high.Y, q.Y)}
	}
	at, k := best[d.s.FrontAt], float64(int(2)<<d.s.Closer)
	return []canvas.Float64Point{{X: max(low.X, at.X-(high.X-low.X)/k), Y: max(low.Y, at.Y-(high.Y-low.Y)/k)},
		{X: min(high.X, at.X+(high.X-low.X)/k), Y: min(high.Y, at.Y+(high.Y-low.Y)/k)}}
}

// chart returns axes around points.
func (d *drawing) chart(h int, points []canvas.Float64Point, xf, yf string) *linechart.Model {
	x0, x1, y0, y1 := math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for _, q := range points {
		x0, x1, y0, y1 = min(x0, q.X), max(x1, q.X), min(y0, q.Y), max(y1, q.Y)
	}
	padX, padY := max((x1-x0)*0.03, 0.5), max((y1-y0)*0.05, 0.1)
	c := linechart.New(d.s.W-4, max(6, h), x0-padX, x1+padX, max(0, y0-padY), y1+padY, linechart.WithXYSteps(8, 2),
		linechart.WithXLabelFormatter(func(_ int, v float64) string { return fmt.Sprintf(xf, v) }),
		linechart.WithYLabelFormatter(func(_ int, v float64) string { return fmt.Sprintf(yf, v) }))
	c.AxisStyle, c.LabelStyle = d.t.frame, d.t.dim
	c.DrawXYAxisAndLabel()
	return &c
}

// scaling draws the throughput of the cluster over its size, best layout and
// this one, with the numbers beside.
func (d *drawing) scaling(h int) []string {
	pts := d.s.Scale
	if len(pts) == 0 {
		return d.box("scaling", []string{" searching other numbers of GPUs …"}, h)
	}
	numbers := d.scaleTable()
	lines := append(d.scaleChart(h-3-len(numbers)), numbers...)
	return d.box("scaling · MFU % over GPUs (log2) at this global batch · ● best layout ○ this layout, DP following · ←→ walk · ⏎ what-if", lines, h)
}

func (d *drawing) scaleChart(h int) []string {
	var best, same []canvas.Float64Point
	for _, p := range d.s.Scale {
		x := math.Log2(float64(p.GPUs))
		if p.Best != nil {
			best = append(best, canvas.Float64Point{X: x, Y: 100 * p.BestMFU})
		}
		if p.Same != nil {
			same = append(same, canvas.Float64Point{X: x, Y: 100 * p.SameMFU})
		}
	}
	if len(best)+len(same) == 0 {
		return []string{"", " no number of GPUs tried so far runs this workload: see the notes below"}
	}
	c := d.chart(h, append(append([]canvas.Float64Point{}, best...), same...), "2^%.0f", "%.1f")
	for i := 1; i < len(best); i++ {
		c.DrawBrailleLineWithStyle(best[i-1], best[i], d.t.dim)
	}
	for _, q := range best {
		c.DrawRuneWithStyle(q, '●', d.style("compute"))
	}
	for _, q := range same {
		c.DrawRuneWithStyle(q, '○', d.style("TP"))
	}
	return linesOf(c.View())
}

func (d *drawing) scaleTable() []string {
	out := []string{"", d.t.dim.Render("     GPUs   best: MFU %   step s     tok/s   scaling  layout, and this layout's MFU %")}
	var base *state.ScalePoint
	for i := range d.s.Scale {
		p := &d.s.Scale[i]
		if base == nil && p.Best != nil {
			base = p
		}
		line := fmt.Sprintf("   %7s  ", show.Count(p.GPUs))
		if p.Best == nil {
			line += fit("nothing fits", 44)
		} else {
			share := p.Tokens / base.Tokens / (float64(p.GPUs) / float64(base.GPUs))
			line += fmt.Sprintf("%11s %8.2f %9s %7.0f %%  %s", show.Percent(p.BestMFU), p.Best.Step, show.Count(int(p.Tokens)), 100*share, p.Best.Layout)
		}
		switch {
		case p.Same != nil && p.Same.Fits:
			line += "   ○ " + show.Percent(p.SameMFU)
		case p.Same != nil:
			line += "   ○ does not fit"
		default:
			line += "   ○ × " + p.Note
		}
		if i == d.s.ScaleAt {
			line = d.t.cursor.Render("  ▶" + line[3:])
		}
		out = append(out, line)
	}
	return out
}
