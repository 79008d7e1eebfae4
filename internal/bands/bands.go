// Package bands says how wrong an estimate may be: the 80 % band of measured
// steps around predicted ones, from the residuals of comparable published runs.
package bands

import (
	"fmt"
	"sync"

	"planner/hardware"
	"planner/internal/catalog"
	"planner/presets"
	"planner/strategies"
)

// Entry is the residuals of one kind of run: the 10 % and 90 % quantiles of
// measured over predicted step times.
type Entry struct {
	Low  float64 `toml:"low"`
	High float64 `toml:"high"`
	Runs int     `toml:"runs"`
	// Longest is the tokens of the longest sequence of the runs, CP their largest
	// context parallelism; 0: any.
	Longest int `toml:"longest"`
	CP      int `toml:"cp"`
}

// file is presets/bands.toml.
type file struct {
	Source     string           `toml:"source"`
	AsOf       string           `toml:"as_of"`
	Calibrated Entry            `toml:"calibrated"` // with one measured step of the cluster
	Unseen     Entry            `toml:"unseen"`     // no run of the framework on the generation
	Kind       map[string]Entry `toml:"kind"`
}

// load decodes the embedded table once.
var load = sync.OnceValues(func() (*file, error) {
	f := &file{}
	return f, catalog.Decode("bands.toml", presets.Bands, f)
})

// Band is the 80 % band of one estimate as factors of its step.
type Band struct {
	Low, High  float64
	Comparable int    // measured runs that it rests on
	Note       string // "" where they are of the same kind; else how far away
}

// Of returns the band of an estimate. A problem that one measured step of its
// cluster corrects gets the band of the order within a sweep, or what several
// steps of it show.
func Of(p *strategies.Problem, e *strategies.Estimate) Band {
	f, err := load()
	if err != nil {
		return Band{0.5, 2, 0, "no table of bands: " + err.Error()}
	}
	b := f.of(p, e)
	if p.Correction > 0 {
		b = f.calibrated(b, p.Cluster.GPU.Fit.Spread)
	}
	b.Low, b.High = min(b.Low, 1), max(b.High, 1) // the estimate is in its own band
	return b
}

// calibrated narrows a band to that of a corrected cluster, but not below the
// spread of the steps that corrected it.
func (f *file) calibrated(b Band, spread [2]float64) Band {
	c := f.Calibrated
	b = Band{max(b.Low, c.Low), min(b.High, c.High), c.Runs, "calibrated by a measured step of this cluster"}
	if spread[1] > 0 && (spread[0] < b.Low || spread[1] > b.High) {
		b.Low, b.High = min(b.Low, spread[0]), max(b.High, spread[1])
		b.Comparable, b.Note = 0, "as far apart as the measured steps of this cluster lie"
	}
	return b
}

// of returns the band of the nearest kind of run. Where an estimate is beyond
// its runs, those of a wider kind are no help: none measured both at once.
func (f *file) of(p *strategies.Problem, e *strategies.Estimate) Band {
	if p.Work.Precision == hardware.FP32 {
		return Band{f.Unseen.Low, f.Unseen.High, 0, "no measured run in fp32: wider"}
	}
	for i, key := range Keys(p, e) {
		x, ok := f.Kind[key]
		switch {
		case ok && x.beyond(p, e):
			note := fmt.Sprintf("no measured run of this kind beyond %d tokens and cp=%d: wider", x.Longest, x.CP)
			return Band{min(x.Low, f.Unseen.Low), max(x.High, f.Unseen.High), 0, note}
		case ok:
			return Band{x.Low, x.High, x.Runs, notes[i]}
		}
	}
	return Band{f.Unseen.Low, f.Unseen.High, 0, "no measured run of this framework on this generation: wider"}
}

// beyond reports whether an estimate is further from the runs of its kind than
// twice their longest sequence, or twice their context parallelism.
func (x *Entry) beyond(p *strategies.Problem, e *strategies.Estimate) bool {
	return x.Longest > 0 && p.Work.Seq > 2*x.Longest || x.CP > 0 && e.Layout.CP > 2*x.CP
}

// Fill sets the low and high step of an estimate to its band.
func Fill(p *strategies.Problem, e *strategies.Estimate) Band {
	b := Of(p, e)
	e.Low, e.High = e.Step.Times(b.Low), e.Step.Times(b.High)
	return b
}

// FillAll sets the bands of every estimate of a search.
func FillAll(p *strategies.Problem, r *strategies.Result) {
	for _, list := range [][]strategies.Estimate{r.Ranking, r.Front} {
		for i := range list {
			Fill(p, &list[i])
		}
	}
	for _, e := range []*strategies.Estimate{r.NoPipeline, r.NoTensor, r.Least} {
		if e != nil {
			Fill(p, e)
		}
	}
}

// notes go with the keys, nearest first.
var notes = [...]string{"", "from runs with and without pipeline", "from runs of one and of several nodes"}

// Keys names the kinds of run that an estimate is like, nearest first.
func Keys(p *strategies.Problem, e *strategies.Estimate) [3]string {
	at := e.Framework.Name + "/" + p.Cluster.GPU.Arch + "/" + pick(p.Model.Experts() > 0, "experts", "dense")
	nodes := at + "/" + pick(p.Cluster.GPUs > p.Cluster.PerNode && p.Cluster.Nodes() > 1, "nodes", "node")
	return [3]string{nodes + "/" + pick(e.Layout.PP > 1, "pipeline", "flat"), nodes, at}
}

func pick(yes bool, a, b string) string {
	if yes {
		return a
	}
	return b
}
