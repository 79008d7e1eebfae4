package strategies

import (
	"planner/costmodel"
	"planner/hardware/unit"
)

// exposeState works out what compute leaves of the state calls of a pipeline
// rank.
func (r *run) exposeState(s *stageRun, c *stateCost, rank int) {
	t, busy := s.time(), s.sharing(c)
	phi, waited := r.fit.DPExposed, r.waitedShare()
	fwd, bwd := r.gathering(rank)
	s.data.Fwd = hide(c.fwd, c.fwdOne, t.Fwd, busy.Fwd, phi).Times(fwd)
	s.data.Bwd = hide(c.bwd, c.bwdOne, t.Bwd, busy.Bwd, phi).Times(bwd) + hide(c.micro, c.microLast, t.Bwd, busy.Bwd, waited)
	if !r.prof.Comm.Overlapped {
		s.tail, s.lead = c.grad.Times(waited), c.gather.Times(waited)
		return
	}
	k := r.window()
	s.tail = hide(c.grad, c.gradLast, t.Bwd.Times(k), busy.Bwd.Times(k), phi)
	s.lead = hide(c.gather, c.gatherLast, t.Fwd.Times(k), busy.Fwd.Times(k), phi)
	if !r.prof.GradsOverlap(r.l.Zero) {
		s.tail = c.grad.Times(max(1, phi))
	}
	if !r.prof.gathersOverlap() {
		s.lead = c.gather.Times(max(1, phi))
	}
}

// window returns the passes of a stage, in whole ones, between the end of its
// first chunk's last backward pass and the end of its last chunk's: one, or
// with v chunks p passes of each but the last. The first forward passes mirror
// it.
func (r *run) window() float64 {
	v := float64(r.l.VPP)
	return ((v-1)*min(r.m, float64(r.l.PP)) + 1) / v
}

// sharing returns how long other axes use the links of the state calls.
func (s *stageRun) sharing(c *stateCost) costmodel.Pass {
	total := c.grad + c.gather + c.micro + c.fwd + c.bwd
	if total == 0 {
		return costmodel.Pass{}
	}
	out := float64(c.net / total)
	return s.busy[network].Times(out).Plus(s.busy[scaleUp].Times(1 - out))
}

// hide returns what stays exposed of calls that take t in all, beside work of
// length w of which other axes use their link for busy. A share phi of them
// always does (contention, serial launches), and so does one call: the first of
// a forward pass has no work before it, the last of a backward pass none after
// it. The work is w·(1 − one/t) while the others run. Where two axes share a
// link each has half of it, so that t ≤ w delays the other axis by t·busy/w,
// and more is exposed:
//
//	one + (1 − one/t)·max(t·busy/w, t − w + busy)
func hide(t, one, w, busy unit.Seconds, phi float64) unit.Seconds {
	if phi >= 1 || t == 0 {
		return t.Times(phi)
	}
	alone := min(1, float64(one/t))
	left := max(0, t-w+busy)
	if t < w {
		left = t.Times(min(1, float64(busy/w)))
	}
	return t.Times(phi) + (t.Times(alone) + min(t, left).Times(1-alone)).Times(1-phi)
}
