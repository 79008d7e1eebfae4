package validate

import (
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"

	"planner/internal/catalog"
)

// Plot writes predicted against measured step times, both axes logarithmic, a
// colour per source, to an .svg, .png or .pdf file.
func (rep *Report) Plot(file string) error {
	switch strings.ToLower(filepath.Ext(file)) {
	case ".svg", ".png", ".pdf":
	default:
		return catalog.Errorf("--plot %s: no such format: want a name that ends in .svg, .png or .pdf", file)
	}
	points := map[string]plotter.XYs{}
	low, high := math.Inf(1), 0.0
	for i := range rep.Rows {
		r := &rep.Rows[i]
		if r.Measured == nil || r.Skipped != "" {
			continue
		}
		points[r.Source] = append(points[r.Source], plotter.XY{X: *r.Measured, Y: r.Step})
		low, high = min(low, *r.Measured, r.Step), max(high, *r.Measured, r.Step)
	}
	if len(points) == 0 {
		return catalog.Errorf("--plot %s: nothing to draw: no row has a measured step", file)
	}
	p, err := drawRuns(points, low, high)
	if err != nil {
		return err
	}
	return p.Save(18*vg.Centimeter, 16*vg.Centimeter, file)
}

func drawRuns(points map[string]plotter.XYs, low, high float64) (*plot.Plot, error) {
	p := plot.New()
	p.Title.Text = "Step time"
	p.X.Label.Text, p.Y.Label.Text = "measured (s)", "predicted (s)"
	p.X.Scale, p.Y.Scale = plot.LogScale{}, plot.LogScale{}
	p.X.Tick.Marker, p.Y.Tick.Marker = plot.LogTicks{Prec: -1}, plot.LogTicks{Prec: -1}
	p.Legend.Top, p.Legend.Left = true, true
	equal, err := plotter.NewLine(plotter.XYs{{X: low, Y: low}, {X: high, Y: high}})
	if err != nil {
		return nil, err
	}
	p.Add(plotter.NewGrid(), equal)
	for i, name := range slices.Sorted(maps.Keys(points)) {
		s, err := plotter.NewScatter(points[name])
		if err != nil {
			return nil, err
		}
		s.Color, s.Radius = plotutil.Color(i), 1.5
		s.Shape = plotutil.Shape(i)
		p.Add(s)
		p.Legend.Add(name, s)
	}
	return p, nil
}
