package bench

import (
	"time"

	"planner/costmodel/collective"
	"planner/costmodel/collective/steps"
	"planner/verify/engine"
)

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
