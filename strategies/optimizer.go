package strategies

import (
	"planner/hardware/unit"
)

// optimizer returns the time of Adam on the parameters a rank updates: it
// reads and writes master weights and both moments, reads the gradient and
// writes the weight: 2·(4+8) + 4 + 2 = 30 bytes each. Offloaded state crosses
// the host link instead, gradients one way and weights the other.
func (s *site) optimizer(h *held) unit.Seconds {
	if s.p.Work.Forward {
		return 0
	}
	n := h.dense*s.splitShare(float64(s.l.Shard)) + h.expert*s.splitShare(float64(expertShard(&s.l)))
	n *= s.p.Work.Trained()
	if s.l.Offload != OffloadNone {
		return hostAdam(n, s.p.Cluster.GPU.PCIe)
	}
	return s.p.Device.Stream(unit.Bytes(n * adamBytes * s.fit.Optimizer))
}

const adamBytes = 30.0

// splitShare returns 1/shard where the optimizer state is split.
func (s *site) splitShare(shard float64) float64 {
	if s.l.Zero == 0 {
		return 1
	}
	return 1 / shard
}

// hostAdam is the optimizer on the CPU: 4 bytes a parameter over the host link
// (bf16 gradients down, bf16 weights up), and 30 bytes at the host memory's
// share of one GPU, taken as 25 GB/s (8 GPUs on a 12-channel DDR5 socket pair
// of which CPU-Adam reaches a half; Ren et al. 2021, section 5).
func hostAdam(n float64, link unit.BytesPerSecond) unit.Seconds {
	return unit.Bytes(4*n).Over(link) + unit.Bytes(adamBytes*n).Over(25*unit.GBps)
}
