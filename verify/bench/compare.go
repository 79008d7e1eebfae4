package bench

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"planner/costmodel/collective"
	"planner/costmodel/collective/steps"
	"planner/verify/engine"
)

// Pair compares two ways to one result at one size.
type Pair struct {
	Size     int       `json:"bytes"`
	A        float64   `json:"a_us"`       // medians
	B        float64   `json:"b_us"`       // of all parts together
	Parts    []float64 `json:"b_parts_us"` // medians of B's parts, if it has several
	Ratio    float64   `json:"ratio"`      // B / A
	Expected float64   `json:"expected_ratio"`
	Noise    float64   `json:"noise"` // spread of A and B, relative: a smaller difference means nothing
	Wrong    int       `json:"wrong"`
}

// Same reports whether the difference from expectation is within the noise.
func (p Pair) Same() bool {
	d := p.Ratio/p.Expected - 1
	return d <= p.Noise && d >= -p.Noise
}

var pairNames = map[Comparison][2]string{
	SplitInTwo:   {"all_reduce", "reduce_scatter + all_gather"},
	RingAndNaive: {"ring", "naive"},
}

// compare measures a comparison. The two sides take turns, so that a
// disturbance meets both.
func (r *runner) compare(out io.Writer) error {
	var pairs []Pair
	wrong := 0
	for _, size := range r.o.sizes() {
		p, err := r.pair(size)
		if err != nil {
			return err
		}
		wrong += p.Wrong
		pairs = append(pairs, p)
	}
	if err := writePairs(out, r.o, pairs); err != nil {
		return err
	}
	if wrong > 0 {
		return fmt.Errorf("%w: %d elements", ErrWrong, wrong)
	}
	return nil
}

func (r *runner) pair(size int) (Pair, error) {
	if r.o.Compare == RingAndNaive {
		return r.ringAndNaive(size)
	}
	return r.splitInTwo(size)
}

// ringAndNaive: the ring moves 2(N-1)/N·M through every rank's link, naive
// 2(N-1)·M through the root's, N times as much.
func (r *runner) ringAndNaive(size int) (Pair, error) {
	ring := r.o.call(collective.AllReduce, size, r.c.Size())
	ring.Algorithm = engine.Force(steps.Ring)
	naive := ring
	naive.Algorithm = engine.Force(steps.Naive)
	p, err := r.race(ring, naive)
	p.Expected = max(1, float64(r.c.Size()))
	return p, err
}

// splitInTwo: an AllReduce is a ReduceScatter and an AllGather; both move
// 2(N-1)/N·M.
func (r *runner) splitInTwo(size int) (Pair, error) {
	whole := r.o.call(collective.AllReduce, size, r.c.Size())
	whole.Count = whole.Count / r.c.Size() * r.c.Size()
	alg := steps.Ring
	if r.c.Port().Direct() {
		alg = steps.TwoShot
	}
	whole.Algorithm = engine.Force(alg)
	scatter, gather := whole, whole
	scatter.Op, gather.Op = collective.ReduceScatter, collective.AllGather
	half := map[steps.Algorithm]steps.Algorithm{steps.Ring: steps.Ring, steps.TwoShot: steps.Direct}[alg]
	scatter.Algorithm, gather.Algorithm = engine.Force(half), engine.Force(half)
	p, err := r.race(whole, scatter, gather)
	p.Expected = 1
	return p, err
}

// race runs a, and the calls of b one after the other, in place on the same
// data, in turns.
func (r *runner) race(a engine.Call, b ...engine.Call) (Pair, error) {
	p := Pair{Size: a.Bytes()}
	buf, err := r.c.Alloc(a.Bytes())
	if err != nil {
		return p, err
	}
	defer r.c.Free(buf)
	all := append([]engine.Call{a}, b...)
	for i := range all {
		all[i].In, all[i].Out = r.within(all[i], buf)
	}
	if p.Wrong, err = r.verify(all[:1], buf); err != nil {
		return p, err
	}
	w, err := r.verify(all[1:], buf)
	if err != nil {
		return p, err
	}
	p.Wrong += w
	return p, r.turns(&p, all)
}

// within lays a call out in place in buf.
func (r *runner) within(c engine.Call, buf []byte) (in, out []byte) {
	e := c.Type.Size()
	off, n := steps.Cut(c.Count, r.c.Size(), r.c.Rank())
	mine := buf[off*e : (off+n)*e]
	switch c.Op {
	case collective.ReduceScatter:
		return buf, mine
	case collective.AllGather:
		return mine, buf
	}
	return buf, buf
}

// verify runs calls that together make an AllReduce and counts wrong elements.
func (r *runner) verify(calls []engine.Call, buf []byte) (int, error) {
	s := steps.Spec{Op: collective.AllReduce, Ranks: r.c.Size(), Count: calls[0].Count}
	d := NewData(s, calls[0].Type, calls[0].Reduction)
	d.Fill(buf, r.c.Rank())
	for _, c := range calls {
		if err := r.c.Do(c); err != nil {
			return 0, err
		}
	}
	return r.total(d.Wrong(buf, r.c.Rank()))
}

// raceRounds is how often the sides take turns.
const raceRounds = 5

func (r *runner) turns(p *Pair, all []engine.Call) error {
	var a, b, first []float64
	for range raceRounds {
		t, err := r.times(func() error { return r.c.Do(all[0]) })
		if err != nil {
			return err
		}
		a = append(a, quantile(t, 0.5))
		var heads []float64 // of the first part of b, on this rank
		t, err = r.times(func() error {
			begin := time.Now()
			err := r.c.Do(all[1])
			heads = append(heads, float64(time.Since(begin))/1e3)
			for _, c := range all[2:] {
				if err == nil {
					err = r.c.Do(c)
				}
			}
			return err
		})
		if err != nil {
			return err
		}
		b = append(b, quantile(t, 0.5))
		_, mid, _ := spread(heads)
		first = append(first, mid)
	}
	p.finish(a, b, first, len(all) > 2)
	return nil
}

// finish sums up the rounds.
func (p *Pair) finish(a, b, first []float64, parts bool) {
	for _, side := range [2][]float64{a, b} {
		if low, mid, high := spread(side); mid > 0 {
			p.Noise = max(p.Noise, (high-low)/mid)
		}
	}
	_, p.A, _ = spread(a)
	_, p.B, _ = spread(b)
	if parts {
		_, head, _ := spread(first)
		p.Parts = []float64{head, max(0, p.B-head)}
	}
	if p.A > 0 {
		p.Ratio = p.B / p.A
	}
}

func writePairs(out io.Writer, o *Options, pairs []Pair) error {
	names := pairNames[o.Compare]
	switch o.Format {
	case "json":
		e := json.NewEncoder(out)
		e.SetIndent("", "  ")
		return e.Encode(struct {
			SchemaVersion int    `json:"schema_version"`
			Compare       string `json:"compare"`
			A             string `json:"a"`
			B             string `json:"b"`
			Pairs         []Pair `json:"pairs"`
		}{1, o.Compare.String(), names[0], names[1], pairs})
	case "csv":
		w := csv.NewWriter(out)
		_ = w.Write([]string{"compare", "bytes", "a_us", "b_us", "ratio", "expected_ratio", "noise", "wrong"})
		for _, p := range pairs {
			_ = w.Write([]string{o.Compare.String(), strconv.Itoa(p.Size), num(p.A), num(p.B), num(p.Ratio), num(p.Expected), num(p.Noise), strconv.Itoa(p.Wrong)})
		}
		w.Flush()
		return w.Error()
	}
	pr := newPrinter(out, "table")
	pr.line("# planner bench: %s against %s, %d ranks, %s", names[0], names[1], o.Ranks, where[o.Kind])
	pr.line("%12s  %12s  %*s  %8s  %8s  %7s  %6s", "size (B)", names[0]+" us", len(names[1])+3, names[1]+" us", "B / A", "expected", "noise", "#wrong")
	for _, p := range pairs {
		pr.line("%12d  %*.2f  %*.2f  %7.2fx  %7.2fx  %5.1f %%  %6d  %s%s", p.Size, max(12, len(names[0])+3), p.A, len(names[1])+3, p.B,
			p.Ratio, p.Expected, p.Noise*100, p.Wrong, p.verdict(), p.parts())
	}
	return pr.err
}

func (p Pair) verdict() string {
	if p.Same() {
		return "~ as expected"
	}
	return fmt.Sprintf("%+.1f %%", (p.Ratio/p.Expected-1)*100)
}

func (p Pair) parts() string {
	if len(p.Parts) < 2 {
		return ""
	}
	var s []string
	for _, t := range p.Parts {
		s = append(s, fmt.Sprintf("%.2f", t))
	}
	return " (" + strings.Join(s, " + ") + ")"
}
