package strategies

import (
	"planner/costmodel/collective"
	"planner/hardware"
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

// received returns how many times a stage receives forward and backward for
// one micro-batch: v each, but chunk 0 of the first stage receives no
// activations and the last chunk of the last stage no gradients.
func (l *Layout) received(st *stage) (fwd, bwd float64) {
	if l.PP < 2 {
		return 0, 0
	}
	fwd, bwd = float64(l.VPP), float64(l.VPP)
	if st.embed {
		fwd--
	}
	if st.head {
		bwd--
	}
	return fwd, bwd
}

// hopSpan places the pairs of a boundary.
func (s *site) hopSpan(b *boundary) hardware.Span {
	return s.p.Cluster.Hop(s.l.TP*s.l.CP*s.l.DP, b.from, b.to)
}

// hopTime is one message over a boundary of a pipeline.
type hopTime struct {
	wait   unit.Seconds // what the stage that receives it waits
	stream unit.Seconds // the part of it in which the bytes pass the link
	link   int
}

// hopTimes prices one message over each boundary.
func (s *site) hopTimes(c *chain, dst []hopTime) {
	for i := range c.hops {
		span := s.hopSpan(&c.hops[i])
		p := s.p.Fabric.Time(collective.Recv, s.hopBytes(), span)
		dst[i] = hopTime{p.Seconds.Times(s.fit.PPExposed) + s.p.ExchangeWait(s.fit), (p.Seconds - p.Latency).Times(min(1, s.fit.PPExposed)), linkOf(&span)}
	}
}

// hopped returns the blocks of a layout with the hops of its pipeline, summed by
// stage.
func (s *site) hopped(c *chain, keepCalls bool) *layerSet {
	set := s.layerSet(keepCalls)
	set.hops = make([]hopTime, len(c.hops))
	s.hopTimes(c, set.hops)
	s.sum(set, c, make([]stageRun, len(c.stages)))
	return set
}

// pipelineHops issues the hops of one micro-batch on a stage. A rank waits for
// what it receives; what it sends leaves beside its next work.
func (s *site) pipelineHops(t *tally, c *chain, st *stage) {
	in, out := s.l.received(st)
	if in+out == 0 {
		return
	}
	before, after := s.hopSpan(&c.hops[st.before]), s.hopSpan(&c.hops[st.after])
	t.received = s.p.ExchangeWait(s.fit)
	call := collective.Call{Dims: collective.PP, Axis: collective.AxisPP, DType: s.model,
		Bytes: s.hopBytes(), Overlaps: "next micro-batch"}
	for _, x := range []struct {
		op    collective.Op
		what  string
		phase collective.Phase
		span  hardware.Span
		count float64
		share float64
	}{
		{collective.Recv, "activations", collective.Forward, before, in, s.fit.PPExposed},
		{collective.Send, "activations", collective.Forward, after, out, 0},
		{collective.Recv, "gradients", collective.Backward, after, out, s.fit.PPExposed},
		{collective.Send, "gradients", collective.Backward, before, in, 0},
	} {
		if s.p.Work.Forward && x.phase == collective.Backward {
			continue
		}
		call.Op, call.Purpose, call.Phase, call.Span, call.Count = x.op, x.what, x.phase, x.span, x.count
		t.issue(call, x.share)
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
