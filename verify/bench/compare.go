package bench

import (
	"fmt"
	"io"

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
