package strategies

import (
	"planner/costmodel"
	"planner/costmodel/collective"
	"planner/hardware/unit"
)

// passed is a message that a rank of the ring sends on count times a layer.
type passed struct {
	purpose string
	phase   collective.Phase
	bytes   unit.Bytes
	count   float64
}

// contextRing issues the sends of ring attention. While a rank computes one of
// its c chunks the next is on its way, so that attention hides them but for its
// last chunk.
func (s *site) contextRing(t *tally, x *costmodel.Mixer, core costmodel.Pass, again float64) {
	k, v := s.keyValues(x)
	c, kv := float64(s.l.CP), k+v
	sends := [...]passed{
		{"keys and values", collective.Forward, kv, c - 1},
		{"keys and values, recomputed", collective.Backward, kv, again * (c - 1)},
		{"keys and values", collective.Backward, kv, 1},
		{"keys, values and gradients", collective.Backward, 2 * kv, c - 2},
		{"key and value gradients", collective.Backward, kv, 1},
	}
	beside := costmodel.Pass{Fwd: core.Fwd, Bwd: core.Bwd + core.Fwd.Times(again)}.Times(1 - 1/c)
	fwd, bwd := s.ringShares(sends[:], beside)
	for _, m := range sends {
		share := bwd
		if m.phase == collective.Forward {
			share = fwd
		}
		s.ring(t, m, share)
	}
}

// ringShares returns the shares of the sends of each direction that stay
// exposed beside work of some length: see hide.
func (s *site) ringShares(sends []passed, beside costmodel.Pass) (fwd, bwd float64) {
	var all costmodel.Pass
	for _, m := range sends {
		one := s.p.Fabric.Time(collective.Send, m.bytes, s.cp)
		if m.phase == collective.Forward {
			all.Fwd += one.Seconds.Times(m.count)
		} else {
			all.Bwd += one.Seconds.Times(m.count)
		}
	}
	share := func(t, w unit.Seconds) float64 {
		if t == 0 {
			return 0
		}
		return float64(hide(t, 0, w, 0, s.fit.CPExposed) / t)
	}
	return share(all.Fwd, beside.Fwd), share(all.Bwd, beside.Bwd)
}

// ring issues sends to the next rank and as many receives; each pair shares
// one time, which the send books.
func (s *site) ring(t *tally, m passed, share float64) {
	c := s.contextCall(collective.Send, m.purpose, m.phase, m.bytes, m.count)
	t.issue(c, share)
	c.Op = collective.Recv
	t.issue(c, 0)
}
