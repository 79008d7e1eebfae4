package strategies

import (
	"planner/costmodel/collective"
	"planner/hardware/unit"
)

// Pipeline parallelism sends the residual stream of a micro-batch to the next
// stage and its gradient back. Every TP rank sends its own copy: the whole
// (s/c)·b·h tensor without SP, a t-th of it with SP (Megatron-LM
// pipeline_parallel/schedules.py:2115-2144 at d98e8a6). With VPP each of the v
// chunks does so, wrapping around from the last stage to the first.

// hopBytes returns the message of one hop.
func (s *site) hopBytes() unit.Bytes {
	if s.l.SP {
		return s.hidden().Times(1 / float64(s.l.TP))
	}
	return s.hidden()
}

// hops returns how many times a stage receives forward and backward for one
// micro-batch: v each, but chunk 0 of the first stage receives no activations
// and the last chunk of the last stage no gradients.
func (s *site) hops(first, last bool) (fwd, bwd float64) {
	if s.l.PP < 2 {
		return 0, 0
	}
	fwd, bwd = float64(s.l.VPP), float64(s.l.VPP)
	if first {
		fwd--
	}
	if last {
		bwd--
	}
	return fwd, bwd
}

// pipelineHops issues the hops of one micro-batch on a stage. A rank waits for
// what it receives; what it sends leaves beside its next work.
func (s *site) pipelineHops(t *tally, first, last bool) {
	in, out := s.hops(first, last)
	c := collective.Call{Dims: collective.PP, Axis: collective.AxisPP, Span: s.hop, DType: s.model,
		Bytes: s.hopBytes(), Overlaps: "next micro-batch"}
	for _, x := range []struct {
		op    collective.Op
		what  string
		phase collective.Phase
		count float64
		share float64
	}{
		{collective.Recv, "activations", collective.Forward, in, s.fit.PPExposed},
		{collective.Send, "activations", collective.Forward, out, 0},
		{collective.Recv, "gradients", collective.Backward, out, s.fit.PPExposed},
		{collective.Send, "gradients", collective.Backward, in, 0},
	} {
		c.Op, c.Purpose, c.Phase, c.Count = x.op, x.what, x.phase, x.count
		t.issue(c, x.share)
	}
}

// inFlight returns the micro-batches whose activations pipeline rank i of p
// holds at once, of m in a step: all of them under GPipe, p−i under 1F1B, p
// under ZB-H1, whose later ranks put off their weight gradients for as long as
// the first has micro-batches in flight (Qi et al. 2023, section 2.1); with v
// chunks 2(p−i−1) + (v−1)p + 1 chunks of a v-th each (Narayanan et al. 2021,
// section 2.2).
func inFlight(l *Layout, i int, m float64) float64 {
	p, v := float64(l.PP), float64(l.VPP)
	switch {
	case l.Schedule == GPipe:
		return m
	case l.Schedule == ZBH1 && l.PP > 1:
		return min(m, p)
	case l.VPP > 1:
		return min(m*v, 2*(p-float64(i)-1)+(v-1)*p+1) / v
	}
	return min(m, p-float64(i))
}
