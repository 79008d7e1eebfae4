package strategies

import (
	"planner/costmodel"
	"planner/hardware/unit"
)

// embedBlock builds what the first stage does besides its layers.
func (s *site) embedBlock(keepCalls, alsoHead bool) block {
	var b block
	rows := float64(s.hidden())
	b.compute.Fwd = s.p.Device.Stream(unit.Bytes(2 * rows))
	b.compute.Bwd = s.p.Device.Stream(unit.Bytes(3 * rows))
	b.stream = b.compute
	b.keep = s.tokens().Times(8)
	t := tally{fabric: s.p.Fabric, keep: keepCalls, times: 1, late: s.lateness()}
	s.tensorBatch(&t, true, alsoHead)
	s.tensorEmbedding(&t)
	return s.end(b, &t)
}

// headBlock builds what the last stage does besides its layers: final norm,
// logits, loss.
func (s *site) headBlock(keepCalls, alsoEmbed bool) block {
	b := s.headWork()
	t := tally{fabric: s.p.Fabric, keep: keepCalls, times: 1, late: s.lateness()}
	if !alsoEmbed {
		s.tensorBatch(&t, false, true)
	}
	s.tensorHead(&t)
	return s.end(b, &t)
}

func (s *site) end(b block, t *tally) block {
	if s.p.Work.Forward {
		b.forwardOnly(t)
	}
	b.close(t, costmodel.Pass{})
	return b
}

// headWork times the LM head as three products [T,h]·[h,V/t] and the loss as
// traffic per logit; both stay at 16 bits in low-precision recipes.
func (s *site) headWork() block {
	d, h := s.p.Wide, float64(s.p.Model.Hidden)
	n := float64(s.tokens())
	_, v := s.vocab()
	b := block{}
	loss := d.Stream(unit.Bytes(s.fit.LossBytes * n * v))
	slow := d.Unaligned(v)
	b.compute.Fwd = (d.GEMM(n, v, h).Times(slow) + loss.Times(0.5)).Times(s.fit.Compute)
	weight := d.GEMM(v, h, n).Times(slow * s.fit.Compute * s.p.Work.Trained())
	b.stream = costmodel.Pass{Fwd: loss.Times(0.5 * s.fit.Compute), Bwd: loss.Times(0.5 * s.fit.Compute)}
	b.compute.Bwd = weight + (d.GEMM(n, h, v).Times(slow) + loss.Times(0.5)).Times(s.fit.Compute)
	b.weight = weight
	b.keep = s.hidden().Times(2)
	b.whole = s.hidden() // gradient of the head's input
	if s.l.SP {
		b.keep = b.keep.Times(1 / float64(s.l.TP))
		b.whole += s.hidden().Times(1 + 1/float64(s.l.TP)) // input gathered, gradient scattered
	}
	return b
}

// logits returns the memory of the logits and their gradient.
func (s *site) logits() unit.Bytes {
	padded, _ := s.vocab()
	m := &s.prof.Memory
	split := m.LogitsSplit
	switch {
	case s.p.Work.Plain && m.PlainLogits > 0:
		split = m.PlainLogits
	case s.fit.LogitsSplit > 0 && s.p.Work.transformerEngine():
		split = s.fit.LogitsSplit
	}
	whole := m.LogitsWhole
	if s.l.TP > 1 && (s.p.Work.Plain || m.PlainLogits == 0) {
		whole += s.fit.LogitsWhole
	}
	if s.prof.Comm.VocabParallel {
		split /= float64(s.l.TP)
	}
	return s.tokens().Times(padded * (split + whole))
}
