package verdict

import (
	"math"

	"planner/hardware/unit"
	"planner/verify/replay"
)

// fitted is the terms of a family: by what the latency and the time of the
// bytes of a price must be multiplied to give what was measured, and how they
// add up:
//
//	t = ((latency·α)^overlap + (slower·x)^overlap)^(1/overlap)
//
// Overlap is 1 where every step waits for the one before, more where steps hide
// behind the bytes of others, as in rings that leave a node by one of its ranks.
type fitted struct {
	latency, slower, overlap float64
	residual                 float64 // relative, root mean square
	ok                       bool
}

// time returns what a call takes whose price has these terms.
func (f *fitted) time(latency, bytes unit.Seconds) unit.Seconds {
	a, b := math.Max(0, float64(latency)*f.latency), math.Max(0, float64(bytes)*f.slower)
	return unit.Seconds(math.Pow(math.Pow(a, f.overlap)+math.Pow(b, f.overlap), 1/f.overlap))
}

// overlaps are the ways to add up that are tried.
var overlaps = []float64{1, 1.25, 1.5, 2, 3}

// settle turns what samples took into the times of all kinds of calls.
func (s *sampler) settle(spreads []replay.Spread) {
	fits := map[family]fitted{}
	for f, list := range s.fams {
		fits[f] = s.fit(f, list, spreads)
	}
	for k, t := range s.terms {
		seconds, latency := t.price.Seconds, t.price.Latency
		base := min(latency, s.base(k.span.Domains > 1))
		switch {
		case t.method == measured:
			x := &spreads[t.exact]
			t.seconds = base + x.Median.Times(1/s.slow)
			t.spread = float64(x.Error) / float64(x.Median)
		case t.method == scaled && fits[k.family()].ok:
			f := fits[k.family()]
			t.seconds = base + f.time(latency-base, seconds-latency)
			t.spread = f.residual
		default:
			if t.method == scaled {
				t.method, t.how = assumed, "assumed: no two terms describe its samples"
			}
			t.seconds = seconds
		}
	}
}

// fit finds the terms of a family from its samples.
func (s *sampler) fit(f family, list []int, spreads []replay.Spread) fitted {
	best := fitted{residual: math.Inf(1)}
	for _, overlap := range overlaps {
		x := fitted{overlap: overlap}
		var rows []fitRow
		for _, i := range list {
			p, took := s.list[i].price, float64(spreads[i].Median)/s.slow
			rows = append(rows, fitRow{math.Pow(float64(p.Latency)/took, overlap), math.Pow(float64(p.Seconds-p.Latency)/took, overlap), 1})
		}
		if x.latency, x.slower, x.ok = solve(rows); !x.ok {
			continue
		}
		x.latency, x.slower = math.Pow(x.latency, 1/overlap), math.Pow(x.slower, 1/overlap)
		for _, i := range list {
			p := s.list[i].price
			off := float64(x.time(p.Latency, p.Seconds-p.Latency))*s.slow/float64(spreads[i].Median) - 1
			x.residual += off * off / float64(len(list))
		}
		x.residual = math.Sqrt(x.residual)
		if x.residual < best.residual {
			best = x
		}
		if len(list) < 3 {
			break // two samples say nothing of how terms add up
		}
	}
	best.ok = best.ok && best.residual < mostResidual
	return best
}

// mostResidual is how far samples may be from the two terms that describe them:
// beyond, they are of more than one kind.
const mostResidual = 0.25

// fitRow is one call: what its latency and its bytes take in the prediction,
// over what it took, and its weight.
type fitRow struct{ latency, bytes, weight float64 }

const (
	fitSteps = 20
	// fitScale is the relative residual at which a call counts half: those
	// beyond were disturbed, or are of another kind.
	fitScale = 0.1
)

// solve returns by what the latencies and the times of bytes must be multiplied
// to give what was measured: least squares of relative residuals under Cauchy
// weights (Holland and Welsch 1977). It is not ok where the two cannot be told
// apart.
func solve(rows []fitRow) (latency, slower float64, ok bool) {
	latency, slower = 1, 1
	for range fitSteps {
		var aa, ab, bb, am, bm float64
		for _, r := range rows {
			off := (latency*r.latency + slower*r.bytes - 1) / fitScale
			w := r.weight / (1 + off*off)
			aa, ab, bb = aa+w*r.latency*r.latency, ab+w*r.latency*r.bytes, bb+w*r.bytes*r.bytes
			am, bm = am+w*r.latency, bm+w*r.bytes
		}
		det := aa*bb - ab*ab
		if bb == 0 || det < 1e-6*aa*bb {
			return 1, 1, false
		}
		latency, slower = clamp((am*bb-bm*ab)/det), clamp((bm*aa-am*ab)/det)
	}
	return latency, slower, true
}

// clamp keeps a factor within what a link can be wrong by.
func clamp(k float64) float64 { return math.Max(0.01, math.Min(100, k)) }
