package strategies

import (
	"planner/hardware/unit"
)

// optimizer returns the time of Adam on the parameters a rank updates: it
// reads and writes master weights and both moments, reads the gradient and
// writes the weight: 2·(4+8) + 4 + 2 = 30 bytes each. Offloaded state is updated
// by the host.
func (s *site) optimizer(h *held) unit.Seconds {
	if s.p.Work.Forward {
		return 0
	}
	n := s.updates(h) * s.p.Work.Trained()
	if s.l.Offload != OffloadNone {
		return s.hostAdam(n)
	}
	return s.p.Device.Stream(unit.Bytes(n * adamBytes * s.fit.Optimizer))
}

// updates returns the parameters of which a rank keeps the optimizer state.
func (s *site) updates(h *held) float64 {
	return h.dense*s.splitShare(float64(s.l.Shard)) + h.expert*s.splitShare(float64(expertShard(&s.l)))
}

const adamBytes = 30.0

// splitShare returns 1/shard where the optimizer state is split.
func (s *site) splitShare(shard float64) float64 {
	if s.l.Zero == 0 {
		return 1
	}
	return 1 / shard
}
