package verdict

import (
	"context"
	"math"
	"slices"

	"planner/costmodel/collective"
	"planner/hardware"
	"planner/hardware/unit"
	"planner/verify/replay"
)

// Term is the latency and the bandwidth of one way to carry out calls on one
// tier, as measured.
type Term struct {
	Between   bool // nodes
	Algorithm string
	Latency   float64 // seconds of one step
	LatencyBy float64 // standard error
	Rate      float64 // bytes per second of a rank's share of the link
	RateBy    float64
	Residual  float64 // relative, root mean square
	Samples   int
}

// algorithms are the ways to carry out calls that a tier's fit tells apart.
var algorithms = []struct {
	name      string
	ops       []collective.Op
	algorithm collective.Algorithm
}{
	{"ring", []collective.Op{collective.AllGather, collective.ReduceScatter, collective.AllReduce}, collective.Ring},
	{"send", []collective.Op{collective.Send}, collective.Direct},
	{"all_to_all", []collective.Op{collective.AllToAll}, collective.Direct},
}

// termBytes are the messages of which terms are fitted: small ones show the
// latency, large ones the rate.
var termBytes = []unit.Bytes{8 << 10, 64 << 10, 256 << 10, 1 << 20}

// Terms measures the ranks at hand with calls of their own: every algorithm, on
// groups inside a node and across, of every size that tiles them.
func (r *Run) Terms(ctx context.Context) ([]Term, error) {
	s := newSampler(newHere(r.Profile, r.links, placeOf(r.Shape), 1), r.Profile.PerNode)
	sets := map[int][]int{} // samples by algorithm and tier
	for i, a := range algorithms {
		for _, op := range a.ops {
			for outer, list := range s.termTilings(op) {
				k := kind{op: op, algorithm: a.algorithm, dtype: collective.FP32}
				if outer > 0 && op == collective.AllToAll {
					k.algorithm = collective.Pairwise
				}
				sets[2*i+outer] = append(sets[2*i+outer], s.everySize(k, list)...)
			}
		}
	}
	m, _, err := r.work(ctx, &replay.Work{Samples: s.samples(), Rounds: r.Rounds, Budget: r.Budget})
	if err != nil {
		return nil, err
	}
	var out []Term
	for i := range 2 * len(algorithms) {
		if t, ok := s.term(sets[i], m.Samples, i%2 > 0); ok {
			t.Algorithm = algorithms[i/2].name
			out = append(out, t)
		}
	}
	return out, nil
}

// everySize adds samples of a kind of call on every tiling with every message,
// and returns their numbers.
func (s *sampler) everySize(k kind, list []tiling) (out []int) {
	for _, t := range list {
		for _, b := range termBytes {
			out = append(out, s.sample(&k, t, b))
		}
	}
	return out
}

// termTilings returns the tilings inside a node and across, of one rank a node.
func (h *here) termTilings(op collective.Op) [2][]tiling {
	var out [2][]tiling
	for n := 2; n <= h.perNode; n++ {
		if h.perNode%n == 0 && (op != collective.Send || n == 2) {
			out[0] = append(out[0], tiling{stride: 1, size: n, pairs: op == collective.Send})
		}
	}
	for n := 2; n <= h.nodes; n++ {
		if h.nodes%n == 0 && (op != collective.Send || n == 2) {
			out[1] = append(out[1], tiling{stride: h.perNode, size: n, pairs: op == collective.Send})
		}
	}
	return out
}

// term fits the samples of one algorithm on one tier.
func (s *sampler) term(list []int, spreads []replay.Spread, outer bool) (Term, bool) {
	var rows []fitRow
	for _, i := range list {
		p, took := s.list[i].price, float64(spreads[i].Median)
		rows = append(rows, fitRow{float64(p.Latency) / took, float64(p.Seconds-p.Latency) / took, 1})
	}
	latency, slower, ok := solve(rows)
	if !ok {
		return Term{}, false
	}
	tier := 0
	if outer {
		tier = 1
	}
	t := &s.Tiers[tier]
	step, rate := float64(t.Fit.Latency), float64(t.Bandwidth.Times(t.Fit.Reach))
	a, b, residual := confidence(rows, latency, slower)
	return Term{Between: outer, Latency: latency * step, LatencyBy: a * step, Rate: rate / slower, RateBy: rate / slower * b / slower,
		Residual: residual, Samples: len(rows)}, true
}

// confidence returns the standard errors of the two terms of a fit, under the
// weights of its last step, and the root mean square of its residuals: the
// diagonal of (AᵀWA)⁻¹ times the residual variance.
func confidence(rows []fitRow, latency, slower float64) (ofLatency, ofSlower, residual float64) {
	var aa, ab, bb, ss, ww float64
	for _, r := range rows {
		off := latency*r.latency + slower*r.bytes - 1
		w := r.weight / (1 + off*off/fitScale/fitScale)
		aa, ab, bb = aa+w*r.latency*r.latency, ab+w*r.latency*r.bytes, bb+w*r.bytes*r.bytes
		ss, ww = ss+w*off*off, ww+w
		residual += off * off / float64(len(rows))
	}
	det := aa*bb - ab*ab
	variance := ss / ww * float64(len(rows)) / math.Max(1, float64(len(rows)-2))
	return math.Sqrt(variance * bb / det), math.Sqrt(variance * aa / det), math.Sqrt(residual)
}

// WithTerms returns a profile with what terms say of its tiers: the latency and
// the rate of rings, the share of it that sends and all-to-alls reach.
func WithTerms(c *hardware.Cluster, terms []Term) *hardware.Cluster {
	out := *c
	out.Name, out.Title = "calibrated", "calibrated by planner calibrate --measure"
	out.Tiers = slices.Clone(c.Tiers)
	for i := range out.Tiers {
		t := &out.Tiers[i]
		ring, send := termOf(terms, "ring", i > c.ScaleUp), termOf(terms, "send", i > c.ScaleUp)
		if ring == nil {
			continue
		}
		k := ring.Rate / float64(t.Bandwidth)
		t.PortRate = t.PortRate.Times(k)
		t.Bandwidth, t.Fit.Reach, t.Fit.Latency = unit.BytesPerSecond(ring.Rate), 1, unit.Seconds(ring.Latency)
		t.Fit.Stated |= hardware.StatedLatency | hardware.StatedReach
		if send != nil {
			t.Fit.P2P = math.Min(1, send.Rate/ring.Rate)
			t.Fit.Stated |= hardware.StatedP2P
		}
	}
	return &out
}

func termOf(terms []Term, algorithm string, between bool) *Term {
	for i := range terms {
		if t := &terms[i]; t.Algorithm == algorithm && t.Between == between {
			return t
		}
	}
	return nil
}
