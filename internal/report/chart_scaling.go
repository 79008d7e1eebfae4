package report

import (
	"fmt"
	"html/template"
	"math"

	"planner/internal/show"
)

// axis maps a range to pixels.
type axis struct{ low, high, from, to float64 }

func (a axis) at(v float64) float64 { return a.from + (a.to-a.from)*(v-a.low)/(a.high-a.low) }

// scalingChart draws MFU over GPUs, and beside it the days of the run.
func scalingChart(points []Point) template.HTML {
	p := newPicture(chartWidth, 224, "Best MFU and training time over the number of GPUs, at the same global batch")
	x := axis{0, float64(max(1, len(points)-1)), 90, 460}
	most, least, longest := 0.0, 1.0, 0.0
	for _, q := range points {
		if q.Best != nil {
			up, down := 1.0, 1.0
			if e := q.Best; e.High > e.Low {
				up, down = float64(e.Step/e.Low), float64(e.Step/e.High)
			}
			most, least, longest = max(most, q.Rates.MFU*up), min(least, q.Rates.MFU*down), max(longest, q.Cost.Days)
		}
	}
	low := max(0, float64(int(10*least)-1)/10)
	y := axis{low, float64(int(10*most)+1) / 10, 180, 30}
	for v := y.low; v <= y.high+1e-9; v += 0.1 {
		p.line(x.from-30, y.at(v), x.to, y.at(v), "grid")
		p.text(x.from-38, y.at(v)+4, "end", "note", fmt.Sprintf("%.0f %%", 100*v))
	}
	p.text(x.from-70, 14, "start", "lab", "MFU of the best layout, and its 80 % band")
	band(p, points, x, y)
	curve(p, points, x, func(q *Point) (float64, string) { return y.at(q.Rates.MFU), show.Percent(q.Rates.MFU) + " %" }, "")
	right := axis{0, x.high, 600, 930}
	step := niceStep(longest / 4)
	d := axis{0, step * math.Ceil(longest/step), 180, 30}
	p.text(right.from-70, 14, "start", "lab", "days of the run")
	for v := 0.0; v <= d.high*1.001; v += step {
		p.line(right.from-20, d.at(v), right.to+10, d.at(v), "grid")
		p.text(right.from-28, d.at(v)+4, "end", "note", axisNumber(v))
	}
	curve(p, points, right, func(q *Point) (float64, string) { return d.at(q.Cost.Days), days(q.Cost.Days) }, " two")
	p.text(x.to, 220, "end", "note", "GPUs")
	p.text(right.to, 220, "end", "note", "GPUs")
	return p.html()
}

// curve draws the points that have a layout, and names every number of GPUs.
func curve(p *picture, points []Point, x axis, of func(*Point) (float64, string), class string) {
	var xy [][2]float64
	for i := range points {
		at := x.at(float64(i))
		p.text(at, 200, "middle", "note", show.Count(points[i].GPUs))
		if points[i].Best == nil {
			p.text(at, 176, "middle", "note", "—")
			continue
		}
		y, _ := of(&points[i])
		xy = append(xy, [2]float64{at, y})
	}
	p.points("polyline", "line"+class, xy)
	for i := range points {
		q := &points[i]
		if q.Best == nil {
			continue
		}
		y, label := of(q)
		r, dot := 3.6, "dot"+class
		if q.Here {
			r, dot = 6, dot+" sel"
		}
		at := x.at(float64(i))
		p.circle(at, y, r, dot, fmt.Sprintf("%s GPUs: %s, %s", show.Count(q.GPUs), label, q.Best.Layout))
		if class == "" {
			p.text(at, y-10, "middle", "note", label)
		} else {
			p.text(at+7, y-7, "start", "note", label)
		}
	}
}

func axisNumber(v float64) string {
	if v >= 1000 {
		return show.Count(int64(v))
	}
	return fmt.Sprintf("%.3g", v)
}

// niceStep returns 1, 2 or 5 times a power of ten, at least v.
func niceStep(v float64) float64 {
	if v <= 0 {
		return 1
	}
	base := math.Pow(10, math.Floor(math.Log10(v)))
	for _, k := range []float64{1, 2, 5} {
		if k*base >= v {
			return k * base
		}
	}
	return 10 * base
}

// band shades the 80 % bands where they are known.
func band(p *picture, points []Point, x, y axis) {
	var upper, lower [][2]float64
	for i := range points {
		if e := points[i].Best; e != nil && e.High > e.Low {
			mfu := points[i].Rates.MFU
			upper = append(upper, [2]float64{x.at(float64(i)), y.at(min(y.high, mfu*float64(e.Step/e.Low)))})
			lower = append([][2]float64{{x.at(float64(i)), y.at(max(y.low, mfu*float64(e.Step/e.High)))}}, lower...)
		}
	}
	if len(upper) > 1 {
		p.points("polygon", "band", append(upper, lower...))
	}
}
