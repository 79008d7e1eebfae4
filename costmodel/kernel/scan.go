package kernel

import (
	"math"

	"planner/hardware/unit"
)

// ScanSpec is the chunked recurrence of one linear-attention or state-space
// layer on one rank: Mamba-2's SSD (heads of P = DimV channels, groups that
// share B and C of N = DimK), or the gated delta rule (Delta).
type ScanSpec struct {
	Tokens     float64 // batch · sequence
	Heads      float64 // of this rank
	Groups     float64 // heads of keys and queries (B and C)
	DimK, DimV float64 // state size N and head width P
	Chunk      float64 // tokens of one chunk, 0: 64 with Delta, else 256
	Delta      bool    // gated delta rule (Qwen3-Next), not SSD
}

// FLOPs returns the forward operations of the chunked form, c tokens a chunk.
// Per token, the scores inside a chunk take 2·c·N for each group, their
// product with values 2·c·P for each head, and writing and reading the state
// 4·N·P (Dao and Gu, arXiv 2405.21060, section 6). The delta rule forms the
// scores of each head and adds k·kᵀ 2·c·N, the triangular solve c²/3, its
// products with keys and values 2·c·(N+P), and what the state already holds
// 2·N·P (Yang et al., arXiv 2406.06484, section 3). Kernels compute whole
// blocks, so that the lower triangle is not discounted.
func (s *ScanSpec) FLOPs() unit.FLOPs {
	c, n, p := s.chunk(), s.DimK, s.DimV
	head := 2*c*p + 4*n*p
	if s.Delta {
		head += 4*c*n + 2*c*(n+p) + c*c/3 + 2*n*p
		return unit.FLOPs(s.Tokens * s.Heads * head)
	}
	return unit.FLOPs(s.Tokens * (s.Groups*2*c*n + s.Heads*head))
}

func (s *ScanSpec) chunk() float64 {
	switch {
	case s.Chunk > 0:
		return s.Chunk
	case s.Delta:
		return 64 // flash-linear-attention's default
	}
	return 256 // mamba_ssm's default
}

// traffic returns the bytes of queries, keys, values and outputs at 16 bits,
// and of the chunk states written and read at 32.
func (s *ScanSpec) traffic() float64 {
	io := 2 * (2*s.Groups*s.DimK + 2*s.Heads*s.DimV)
	states := 8 * s.Heads * s.DimK * s.DimV / s.chunk()
	return s.Tokens * (io + states)
}

// scanKernels is the number of kernels of one direction of the chunked form:
// cumulative gates, chunk states, state passing, chunk scores, output.
const scanKernels = 5

// Scan returns the time of the recurrence, forward and backward. The backward
// pass forms states again: 2.5 times the operations, twice the traffic.
func (d *Device) Scan(s ScanSpec) (fwd, bwd unit.Seconds) {
	if s.Tokens*s.Heads <= 0 {
		return 0, 0
	}
	work, move := float64(s.FLOPs())/d.scan, s.traffic()/d.bandwidth
	floor := scanKernels * d.launch
	fwd = unit.Seconds(math.Max(floor, norm4(work, move)))
	bwd = unit.Seconds(math.Max(2*floor, norm4(2.5*work, 2*move)))
	return fwd, bwd
}
