package ask

import (
	"fmt"
	"math"

	"planner/strategies"
)

// legalBatch replaces the batch chosen for the user by a larger one where it
// leaves no layout legal: of GPUs whose number has a large odd part no degrees
// leave few data-parallel ranks, and FSDP alone has one a GPU.
func (a *Answer) legalBatch() bool {
	if !a.chose("--global-batch") {
		return false
	}
	best := math.MaxInt
	for l := range a.plainLayouts {
		if a.GlobalBatch%l.DP == 0 && a.runsWith(l, a.GlobalBatch) {
			return false
		}
		above := (a.GlobalBatch/l.DP + 1) * l.DP
		for _, batch := range []int{above, max(above, l.DP*l.PP)} { // the latter fills the pipeline
			if batch < best && a.runsWith(l, batch) {
				best = batch
			}
		}
	}
	if best > maxTokens {
		return false
	}
	a.GlobalBatch = best
	for i := range a.Defaults {
		if d := &a.Defaults[i]; d.Flag == "--global-batch" {
			d.Value = fmt.Sprintf("%d, the least above %s that a layout divides", best, d.Value)
		}
	}
	return true
}

// plainLayouts yields layouts of every degree without experts' and of even
// stages, and of every ZeRO stage: where none of these is legal none is.
func (a *Answer) plainLayouts(yield func(strategies.Layout) bool) {
	p := a.Problem
	gpus, layers := p.Cluster.GPUs, p.Model.Layers()
	for tp := 1; tp <= min(gpus, 1024); tp++ {
		if gpus%tp != 0 || !strategies.TPFits(p.Model, tp) {
			continue
		}
		for pp := 1; pp <= layers; pp++ {
			if layers%pp != 0 || gpus%(tp*pp) != 0 {
				continue
			}
			for cp := 1; cp <= min(gpus/(tp*pp), p.Work.Seq); cp++ {
				if gpus%(tp*pp*cp) == 0 && (cp == 1 || p.Work.Seq%(2*cp) == 0) && !yield(strategies.Layout{TP: tp, PP: pp, CP: cp, DP: gpus / (tp * pp * cp)}) {
					return
				}
			}
		}
	}
}

// runsWith reports whether a framework asked runs a plain layout with a batch.
func (a *Answer) runsWith(l strategies.Layout, batch int) bool {
	p := *a.Problem
	p.Work.GlobalBatch = batch
	l, v := l.Complete(p.Cluster.GPUs)
	if v != nil {
		return false
	}
	for _, l.Zero = range []int{0, 1, 2, 3} {
		for _, l.SP = range []bool{l.TP > 1, false} {
			for _, f := range p.Profiles {
				if p.Check(&l, f) == nil {
					return true
				}
			}
		}
	}
	return false
}
