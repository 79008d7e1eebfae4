package strategies

import (
	"math"

	"planner/hardware/unit"
)

// Overhead is what the overhead of a step adds up from, on its slowest stage.
type Overhead struct {
	Layers     unit.Seconds // launches of layers that their kernels do not cover
	Batches    unit.Seconds // host time of micro-batches
	Exchanges  unit.Seconds // synchronisation of exchanges between stages, whatever the message
	Retries    unit.Seconds // of the allocator close to capacity
	Copies     unit.Seconds // of offloaded state that the passes do not cover
	Step       unit.Seconds // data, logging, launch of the optimizer
	Stragglers unit.Seconds
	Share      float64 // of the step without them that stragglers add
}

// Sum returns the whole.
func (o *Overhead) Sum() unit.Seconds {
	return o.Layers + o.Batches + o.Exchanges + o.Retries + o.Copies + o.Step + o.Stragglers
}

// overhead takes apart what split books as overhead on stage i of the chain; a
// test holds the sums equal. Stragglers lengthen the whole step T by a share s:
// of a step with them they are T·s/(1+s).
func (x *expander) overhead(e *Estimate, i int) Overhead {
	r, s := x.run, &x.run.stages[i]
	every, share := r.m*r.pace, x.fit.straggle(x.p.Cluster.GPUs)
	o := Overhead{
		Layers: (s.host.Fwd + s.host.Bwd).Times(every), Batches: x.fit.HostBatch.Times(every), Step: x.fit.HostStep.Times(r.pace),
		Stragglers: e.Step.Times(share / (1 + share)), Share: share,
	}
	if x.l.PP > 1 {
		o.Exchanges = x.fit.Slot.Times(every)
	}
	if x.l.Offload != OffloadNone {
		o.Copies = r.copied(i, s).Times(every)
	}
	o.Retries = max(0, s.batch.Times(every)-o.Batches-o.Exchanges-o.Copies)
	return o
}

// straggle returns how much slower the slowest of n ranks is than the mean:
// a constant share per doubling beyond one node of eight.
func (s *ProfileFit) straggle(n int) float64 {
	return s.Straggler * math.Max(0, math.Log2(float64(n)/8))
}
