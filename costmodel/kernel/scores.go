package kernel

import (
	"planner/hardware/unit"
)

// materialised prices attention that writes its scores: two batched products
// forward and four backward over every pair, masked or not, and the traffic
// of softmax, mask and dropout on batch·heads·SeqQ·SeqK scores.
func (d *Device) materialised(s *AttentionSpec) (fwd, bwd unit.Seconds) {
	g := s.Batch * s.Heads
	per := d.scores[0]
	if s.Kernel == Unfused {
		per = d.scores[1]
	}
	soft := d.launch + d.move(per*g*s.SeqQ*s.SeqK)
	qk := d.scoreProduct(g, s.SeqQ, s.SeqK, s.DimQK)
	av := d.scoreProduct(g, s.SeqQ, s.DimV, s.SeqK)
	// dV = Pᵀ·dO and dP = dO·Vᵀ; dQ = dS·K and dK = dSᵀ·Q.
	dv := d.scoreProduct(g, s.SeqK, s.DimV, s.SeqQ)
	dp := d.scoreProduct(g, s.SeqQ, s.SeqK, s.DimV)
	dq := d.scoreProduct(g, s.SeqQ, s.DimQK, s.SeqK)
	dk := d.scoreProduct(g, s.SeqK, s.DimQK, s.SeqQ)
	return unit.Seconds(soft + qk + av), unit.Seconds(soft + dv + dp + dq + dk)
}

// scoreProduct is a batched product at 16 bits.
func (d *Device) scoreProduct(g, m, n, k float64) float64 {
	return d.half.product(d, g, m, n, k, d.half.out)
}
