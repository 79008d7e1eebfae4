package strategies

import (
	"planner/costmodel"
	"planner/costmodel/collective"
	"planner/hardware/unit"
)

// sum adds up, for every stage of a chain, the blocks of its layers, ends and
// hops for one micro-batch: all that does not depend on how state is split, and
// that layouts which differ in that alone share. sums has a place for each.
func (s *site) sum(set *layerSet, c *chain, sums []stageRun) {
	set.sums = sums
	for i := range c.stages {
		st, sum := &c.stages[i], &set.sums[i]
		s.sumLayers(set, st, sum)
		if !s.p.Work.LayersOnly {
			sum.batch = s.fit.HostBatch
			if st.embed {
				sum.plus(&set.embed, 1)
			}
			if st.head {
				sum.plus(&set.head, 1)
			}
		}
		if s.l.PP > 1 {
			sum.batch += s.fit.Slot
		}
		s.sumHops(set, st, sum)
	}
}

// sumLayers adds the layers of a stage, the first FullLayers of them recomputed
// whole, and finds what the backward pass of the largest holds beyond what the
// layer keeps. When it comes to those that are recomputed, what the others of
// the chunk kept of the micro-batch is free.
func (s *site) sumLayers(set *layerSet, st *stage, sum *stageRun) {
	part, rebuilt, free := 0.0, unit.Bytes(0), unit.Bytes(0)
	if set.full != nil {
		part = min(1, float64(s.l.FullLayers)/float64(st.total))
	}
	for k, n := range st.kinds {
		if n == 0 {
			continue
		}
		if part > 0 {
			sum.plus(&set.full[k], float64(n)*part)
			rebuilt = max(rebuilt, set.full[k].whole)
		}
		if part < 1 {
			kept := &set.kinds[k]
			sum.plus(kept, float64(n)*(1-part))
			sum.peak = max(sum.peak, kept.whole)
			free += kept.keep.Times(float64(n) * (1 - part) / float64(s.l.VPP))
		}
	}
	sum.peak = max(sum.peak, rebuilt-free)
}

// sumHops adds the messages that a stage receives of one micro-batch.
func (s *site) sumHops(set *layerSet, st *stage, sum *stageRun) {
	fwd, bwd := s.l.received(st)
	if fwd+bwd == 0 {
		return
	}
	if s.p.Work.Forward {
		bwd = 0
	}
	before, after := &set.hops[st.before], &set.hops[st.after]
	wait := costmodel.Pass{Fwd: before.wait.Times(fwd), Bwd: after.wait.Times(bwd)}
	sum.axes[collective.AxisPP] = sum.axes[collective.AxisPP].Plus(wait)
	sum.comm = sum.comm.Plus(wait)
	sum.busy[before.link].Fwd += before.stream.Times(fwd)
	sum.busy[after.link].Bwd += after.stream.Times(bwd)
}
