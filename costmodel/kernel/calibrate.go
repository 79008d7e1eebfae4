package kernel

import (
	"maps"
	"math"
	"slices"

	"planner/hardware"
	"planner/hardware/unit"
)

// ProductRow is one measured matrix product.
type ProductRow struct {
	On        *hardware.Accelerator
	Precision hardware.Precision
	Groups    int // 0 or 1: a plain product; more: grouped, M rows each
	M, N, K   float64
	// Cast says that the time includes quantising A, Accumulate that the
	// result was added to a 32-bit gradient.
	Cast, Accumulate bool
	// Stack names the benchmark that launched it, "" when runs were replayed
	// from a graph. Each stack has a launch overhead of the host, which is
	// fitted beside the constants and dropped.
	Stack string
	Time  unit.Seconds
}

// predict returns the model's time of the row on d.
func (r *ProductRow) predict(d *Device) float64 {
	g, out := math.Max(1, float64(r.Groups)), d.low.out
	if r.Accumulate {
		out = accumulate
	}
	t := d.low.product(d, g, r.M, r.N, r.K, out)
	if r.Groups > 1 {
		t = d.group(g, t)
	}
	if r.Cast {
		t += d.quantise(g * r.M * r.K)
	}
	return t
}

// Calibrate returns start with the constants of products that fit rows best:
// robust least squares on the logarithm of time, with start as a prior.
// Constants that no row speaks of keep their value: the formats, the cast,
// the grouped rate. It is how presets/kernels was made and how a measured
// cluster gets constants of its own.
func Calibrate(rows []ProductRow, start Constants) (Constants, Errors) {
	c := start
	bench := newProducts(rows, &c)
	r := make([]float64, len(rows))
	leastSquares(append(bench.host.terms(), bench.terms()...), len(rows), bench.residuals)
	bench.residuals(r)
	return c, ErrorsOf(r)
}

// Evaluate returns the errors of c on rows. The launch overhead of rows that
// no graph replays is fitted, as Calibrate does, and nothing else.
func Evaluate(rows []ProductRow, c Constants) Errors {
	bench := newProducts(rows, &c)
	r := make([]float64, len(rows))
	leastSquares(bench.host.terms(), len(rows), bench.residuals)
	bench.residuals(r)
	return ErrorsOf(r)
}

// place is what a Device is built for.
type place struct {
	on        *hardware.Accelerator
	precision hardware.Precision
}

// products is a set of rows and the constants that price them.
type products struct {
	rows []ProductRow
	c    *Constants
	host overheads
	in   map[place][]int
}

func newProducts(rows []ProductRow, c *Constants) *products {
	p := &products{rows: rows, c: c, host: make(overheads), in: make(map[place][]int)}
	for i, r := range rows {
		at := place{r.On, r.Precision}
		p.in[at] = append(p.in[at], i)
		p.host.add(r.Stack)
	}
	return p
}

// overheads holds what each stack adds to a call, s.
type overheads map[string]*float64

func (o overheads) add(stack string) {
	if stack != "" && o[stack] == nil {
		s := 5e-6
		o[stack] = &s
	}
}

func (o overheads) of(stack string) float64 {
	if p := o[stack]; p != nil {
		return *p
	}
	return 0
}

// terms lists the overheads; nothing is known of them beforehand but the
// order of magnitude.
func (o overheads) terms() []term {
	var t []term
	for _, stack := range slices.Sorted(maps.Keys(o)) {
		t = append(t, term{o[stack], 1})
	}
	return t
}

func (p *products) residuals(r []float64) {
	for at, rows := range p.in {
		d := NewDevice(at.on, at.precision, *p.c)
		for _, i := range rows {
			t := p.rows[i].predict(d) + p.host.of(p.rows[i].Stack)
			r[i] = math.Log(t / float64(p.rows[i].Time))
		}
	}
}

// terms lists the constants that the rows speak of. The priors: a peak share
// is known to a third beforehand, K0 and the cast hardly, tile rates to a
// tenth (they are ratios of arithmetic intensity).
func (p *products) terms() []term {
	c := p.c
	t := []term{{&c.Operand, 0.3}}
	for i := 2; i < NumTiles; i++ { // the two large tiles are the unit
		t = append(t, term{&c.Tiles[i], 0.1})
	}
	grouped, graph := false, false
	formats := make(map[*Format]bool) // whether casts were timed
	for i := range p.rows {
		r := &p.rows[i]
		f := c.formatOf(r.On, r.Precision)
		formats[f] = formats[f] || r.Cast
		grouped = grouped || r.Groups > 1
		graph = graph || r.Stack == ""
	}
	if graph {
		t = append(t, term{(*float64)(&c.Launch), 0.5})
	}
	if grouped {
		t = append(t, term{&c.Grouped, 0.3}, term{(*float64)(&c.GroupLaunch), 1})
	}
	for _, f := range []*Format{&c.Half, &c.Byte, &c.Block, &c.Nibble, &c.Single} {
		if cast, used := formats[f]; used {
			t = append(t, f.terms(cast)...)
		}
	}
	return t
}

func (f *Format) terms(cast bool) []term {
	t := []term{{&f.Peak, 0.3}, {&f.HalfK, 1}, {&f.Tail, 0.7}}
	if cast && f.Cast > 0 {
		t = append(t, term{&f.Cast, 0.7}, term{&f.CastKernels, 0.7})
	}
	return t
}
