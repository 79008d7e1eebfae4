package strategies

import (
	"planner/costmodel"
	"planner/costmodel/collective"
	"planner/hardware"
	"planner/hardware/unit"
)

// heldBy returns the parameters that one rank of a stage holds, in elements,
// before ZeRO splits them.
func (s *site) heldBy(st *stage) held {
	m, l := s.p.Model, &s.l
	var h held
	for k, n := range st.kinds {
		if n == 0 {
			continue
		}
		dense, expert, replicated := s.layerHeld(&m.Kinds[k])
		h.dense += float64(n) * dense
		h.expert += float64(n) * expert
		h.replicated += float64(n) * replicated
		h.layer = max(h.layer, dense+expert)
		h.layers += float64(n)
	}
	_, rows := s.vocab()
	width := float64(m.Hidden)
	if st.embed {
		h.root += rows*width + float64(m.PositionEmbedding()) + float64(m.EmbedNorm)
	}
	if st.head {
		if !m.Tied || l.PP > 1 {
			h.head += rows * width
		}
		if m.HeadBias {
			h.head += rows
		}
		h.head += float64(m.FinalNorm)
		h.root += h.head
		h.replicated += float64(m.FinalNorm)
	}
	h.shapes = s.distinctShapes(st)
	if s.p.Counted == LayersAlone {
		h.root, h.head = 0, 0
	}
	h.dense += h.root
	return h
}

// layerHeld returns the elements of one layer on a rank: dense parts split
// over TP or kept whole, experts split over EP and ETP. Where TP exceeds the K
// and V heads their weights stay split: what they project is gathered.
func (s *site) layerHeld(l *costmodel.Layer) (dense, expert, replicated float64) {
	p := l.Params(s.p.Model.Hidden)
	tp := float64(s.l.TP)
	replicated = float64(p.Replicated())
	dense = float64(p.Sharded())/tp + replicated
	expert = float64(p.Routed) / float64(s.l.EP*s.l.ETP)
	return dense, expert, replicated
}

// Memory is what one rank of a pipeline stage holds, by component.
type Memory struct {
	Weights, Gradients, Master, Moments unit.Bytes
	Activations, Logits, Buffers        unit.Bytes
	Fragmentation, Runtime              unit.Bytes
}

// Allocated returns the sum of what the step's tensors take.
func (m *Memory) Allocated() unit.Bytes {
	return m.Weights + m.Gradients + m.Master + m.Moments + m.Activations + m.Logits + m.Buffers
}

// Total returns what the process takes: allocated, fragmentation and runtime.
func (m *Memory) Total() unit.Bytes { return m.Allocated() + m.Fragmentation + m.Runtime }

// stateMemory fills the state of a rank: which components a ZeRO stage splits
// is Rajbhandari et al. 2020, figure 1.
func (s *site) stateMemory(m *Memory, h *held) {
	b, l := &s.prof.Memory, &s.l
	trained := s.p.Work.Trained()
	if s.p.Work.Forward {
		trained = 0
	}
	for _, part := range [2]struct{ n, shard float64 }{{h.dense, float64(l.Shard)}, {h.expert, float64(expertShard(l))}} {
		split := func(from int, bytes float64) unit.Bytes {
			if l.Zero >= from {
				return unit.Bytes(part.n * bytes / part.shard)
			}
			return unit.Bytes(part.n * bytes)
		}
		weight, master := s.weightBytes()
		m.Weights += split(3, weight) + split(1, s.frozenBytes()*(1-trained))
		m.Gradients += split(2, s.prof.GradBytes(&s.p.Work)*trained)
		m.Master += split(1, master*trained)
		m.Moments += split(1, s.momentBytes()*trained)
	}
	m.Weights += unit.Bytes((h.dense - h.root + h.expert) * s.p.low * b.LowCopies)
	s.offload(m, (h.dense+h.expert)*trained)
	if s.p.Counted != LayersAlone {
		m.Buffers += s.stateBuffers(h)
	}
}

// weightBytes returns the bytes of a parameter that the step computes with and
// of its master copy: an fp32 step has one of both.
func (s *site) weightBytes() (weight, master float64) {
	m := &s.prof.Memory
	if s.model == collective.FP32 && !s.prof.fullWeights() {
		return s.model.Size(), 0
	}
	return m.Weight, m.Master
}

// frozenBytes returns the bytes of a parameter that is not trained, beside
// Weight: where the trained ones are their own master copy, the others are held
// as the step computes with them.
func (s *site) frozenBytes() float64 {
	weight, _ := s.weightBytes()
	return max(0, s.model.Size()-weight)
}

// GradBytes returns the bytes of gradient per parameter: the documented ones,
// or what the software before them held.
func (f *Profile) GradBytes(w *Workload) float64 {
	m := &f.Memory
	switch {
	case w.ShortState:
		return 2
	case w.Plain && m.PlainGrad > 0:
		return m.PlainGrad
	case w.Precision == hardware.FP16 && m.HalfGrad > 0:
		return m.HalfGrad
	case w.Precision == hardware.FP32:
		return 4
	}
	return m.Grad
}

// momentBytes returns the bytes of both moments per parameter.
func (s *site) momentBytes() float64 {
	if s.p.Work.ShortState {
		return 4
	}
	return s.prof.Memory.Moments
}

// unsharded returns the elements of gradient that a rank holds before they are
// scattered: those of the layer in its backward pass, or, where a pipeline
// defers the scatter to the end of the step, those of every layer.
func (s *site) unsharded(h *held) float64 {
	switch {
	case s.p.Work.Forward:
		return 0
	case s.scattersOnce():
		return (h.dense + h.expert) * s.p.Work.Trained()
	}
	return h.layer * s.p.Work.Trained()
}

// stateBuffers returns what lives beside the split state: gathered layers (the
// one in use and the one prefetched, and unsharded gradients of one) or, where
// nothing is gathered, the 16-bit copies that the backward pass reads of weights
// kept in 32 bits, a secondary shard, communication buckets.
func (s *site) stateBuffers(h *held) unit.Bytes {
	l, c := &s.l, &s.prof.Comm
	e := s.model.Size()
	b := s.prof.Memory.Workspace + s.weightGrads(h)
	if h.expert > 0 {
		b += s.prof.Memory.ExpertWorkspace
	}
	if s.layerWise() && l.Shard > 1 {
		live := 2*h.layer + h.root
		if c.Reuse > 0 {
			live = max(live, min(float64(c.Reuse), h.dense+h.expert))
		}
		b += bytesOf(live, s.model)
		b += unit.Bytes(s.unsharded(h) * s.gradType().Size())
		if (l.PP > 1 || !s.freesLayers()) && !s.p.Work.Forward && c.Reuse == 0 {
			b += bytesOf(h.dense+h.expert-h.root, s.model)
		}
	}
	if l.Zero == 0 && s.prof.fullWeights() && !s.p.Work.Forward && s.model.Size() < 4 {
		b += bytesOf(h.dense+h.expert, s.model)
	}
	if l.HPZ > 0 {
		b += unit.Bytes((h.dense + h.expert) * e / float64(l.HPZ))
	}
	if n := s.prof.Memory.BucketBuffers; n > 0 && l.DataRanks() > 1 && l.Zero < 3 {
		bucket := s.bucket(h.dense, true)
		b += unit.Bytes(n * bucket * s.gradType().Size())
	}
	return b
}
