package sweep

import (
	"bytes"
	"fmt"
	"image/color"
	"path/filepath"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"planner/internal/catalog"
)

// Colours of the series (Okabe and Ito 2008, darkened), each with a glyph of
// its own so that colour never carries meaning alone.
var palette = []color.RGBA{{0x00, 0x72, 0xb2, 0xff}, {0xc9, 0x7b, 0x00, 0xff}, {0x00, 0x85, 0x60, 0xff}, {0xa8, 0x5a, 0x86, 0xff}, {0x62, 0x6c, 0x7a, 0xff}, {0xc4, 0x4e, 0x00, 0xff}}

var glyphs = []draw.GlyphDrawer{draw.CircleGlyph{}, draw.SquareGlyph{}, draw.TriangleGlyph{}, draw.PyramidGlyph{}, draw.CrossGlyph{}, draw.RingGlyph{}}

// Picture formats by file extension.
var pictures = []string{".svg", ".png"}

// CheckPicture refuses a file that Picture could not draw.
func CheckPicture(path string) error {
	for _, e := range pictures {
		if strings.EqualFold(filepath.Ext(path), e) {
			return nil
		}
	}
	return catalog.Errorf("--plot %q: no such picture format: want a file ending in .svg or .png", path)
}

// Size of a picture: two panels side by side.
const (
	width  = 10 * vg.Inch
	height = 4.2 * vg.Inch
)

// Picture draws tokens per second and MFU over the first axis, a line for each
// value of the second, as SVG or PNG by the extension of path.
func Picture(path string, r *Result) ([]byte, error) {
	speed := r.panel("million tokens per second", func(p *Point) float64 { return p.TokensPerSecond / 1e6 }, true)
	use := r.panel("MFU, %", func(p *Point) float64 { return 100 * p.mfu() }, false)
	var b bytes.Buffer
	if strings.EqualFold(filepath.Ext(path), ".svg") {
		c := vgsvg.New(width, height)
		tiles(draw.New(c), speed, use)
		if _, err := c.WriteTo(&b); err != nil {
			return nil, err
		}
		return labelled(b.Bytes(), r), nil
	}
	c := vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(144))
	tiles(draw.New(c), speed, use)
	_, err := vgimg.PngCanvas{Canvas: c}.WriteTo(&b)
	return b.Bytes(), err
}

func tiles(c draw.Canvas, left, right *plot.Plot) {
	t := draw.Tiles{Rows: 1, Cols: 2, PadX: 16, PadTop: 6, PadBottom: 6, PadLeft: 6, PadRight: 12}
	for i, canvas := range plot.Align([][]*plot.Plot{{left, right}}, t, c)[0] {
		[]*plot.Plot{left, right}[i].Draw(canvas)
	}
}

// labelled gives an SVG a name for those who do not see it.
func labelled(svg []byte, r *Result) []byte {
	i := bytes.Index(svg, []byte("<svg"))
	if i < 0 {
		return svg
	}
	end := bytes.IndexByte(svg[i:], '>')
	if end < 0 {
		return svg
	}
	at := i + end + 1
	title := fmt.Sprintf("\n<title>Tokens per second and MFU over %s</title>", axisTitle(r.Axes[0].Name))
	return append(append(append([]byte{}, svg[:at]...), title...), svg[at:]...)
}

// panel draws one figure over the first axis.
func (r *Result) panel(label string, get func(*Point) float64, logY bool) *plot.Plot {
	p := plot.New()
	p.X.Label.Text, p.Y.Label.Text = axisTitle(r.Axes[0].Name), label
	sans(p)
	p.Add(plotter.NewGrid())
	xs, wide := r.positions(p)
	for i, name := range r.series() {
		var pts plotter.XYs
		for k := range r.Points {
			if q := &r.Points[k]; q.Best != nil && r.seriesOf(q) == name {
				pts = append(pts, plotter.XY{X: xs[q.Values[0]], Y: get(q)})
			}
		}
		if len(pts) > 0 {
			r.line(p, pts, name, i)
		}
	}
	if wide {
		p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, axisTicks(xs)
	}
	scaleY(p, logY)
	p.Legend.Top, p.Legend.Left = logY, logY
	return p
}

// scaleY lets speeds that span much run on a logarithmic axis, and everything
// else start at 0.
func scaleY(p *plot.Plot, logY bool) {
	if logY && p.Y.Min > 0 && p.Y.Max > 8*p.Y.Min {
		p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
		return
	}
	p.Y.Min, p.Y.Max = 0, p.Y.Max*1.08
}

// sans sets every text in a sans-serif face.
func sans(p *plot.Plot) {
	for _, f := range []*font.Font{&p.X.Label.TextStyle.Font, &p.Y.Label.TextStyle.Font, &p.X.Tick.Label.Font, &p.Y.Tick.Label.Font, &p.Legend.TextStyle.Font} {
		f.Variant = "Sans"
	}
}

func (r *Result) line(p *plot.Plot, pts plotter.XYs, name string, i int) {
	line, points, err := plotter.NewLinePoints(pts)
	if err != nil {
		return // a point that is no number: nothing to draw
	}
	line.Color, points.Color = palette[i%len(palette)], palette[i%len(palette)]
	points.Shape, points.Radius = glyphs[i%len(glyphs)], 3
	line.Width = 1.5
	p.Add(line, points)
	if name != "" {
		p.Legend.Add(name, line, points)
	}
}

// series are the values of the second axis, or one without a name.
func (r *Result) series() []string {
	if len(r.Axes) < 2 {
		return []string{""}
	}
	var out []string
	for _, v := range r.Axes[1].Values {
		out = append(out, r.Axes[1].Name+" "+v)
	}
	return out
}

func (r *Result) seriesOf(p *Point) string {
	if len(r.Axes) < 2 {
		return ""
	}
	return r.Axes[1].Name + " " + p.Values[1]
}

// positions places the values of the first axis: at their number, or one after
// the other where they have none. Wide says that a logarithmic axis suits.
func (r *Result) positions(p *plot.Plot) (xs map[string]float64, wide bool) {
	xs = map[string]float64{}
	values := r.Axes[0].Values
	least, most := 0.0, 0.0
	for i, v := range values {
		n, err := strconv.ParseFloat(strings.TrimRight(v, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ/"), 64)
		if err != nil || r.kind() == words {
			clear(xs)
			for k, v := range values {
				xs[v] = float64(k)
			}
			p.NominalX(values...)
			return xs, false
		}
		xs[v] = n
		if i == 0 || n < least {
			least = n
		}
		most = max(most, n)
	}
	return xs, least > 0 && most/least >= 8
}

func (r *Result) kind() kind {
	for _, a := range axisNames {
		if a.name == r.Axes[0].Name {
			return a.kind
		}
	}
	return words
}

// axisTicks marks every value that was swept.
func axisTicks(xs map[string]float64) plot.Ticker {
	var t plot.ConstantTicks
	for v, x := range xs {
		t = append(t, plot.Tick{Value: x, Label: grouped(v, "")})
	}
	return t
}
