package strategies

import (
	"planner/costmodel/kernel"
	"planner/hardware/unit"
)

// Counted says what the memory of an estimate counts.
type Counted uint8

const (
	// Fullest counts everything on the fullest stage: what must fit.
	Fullest Counted = iota
	// FirstStage counts everything on the first stage, whose rank 0 is the one
	// that some frameworks print figures of.
	FirstStage
	// LayersAlone counts the state and the saved activations of the layers on
	// the fullest stage, as papers work them out by formula: no embedding, head,
	// logits, passing gradients or buffers.
	LayersAlone
)

// memory finds the fullest stage, or the one that is counted.
func (r *run) memory(e *Estimate) unit.Bytes {
	var most unit.Bytes
	for i := range r.stages {
		m := r.stageMemory(i, r.chain.stages[i].index)
		t := m.Total()
		if i == 0 || t > most && r.p.Counted != FirstStage {
			e.Memory, e.Fullest = m, r.chain.stages[i].index
		}
		most, e.Allocated = max(most, t), max(e.Allocated, m.Allocated())
	}
	e.Fits = most <= r.p.Capacity()
	return most
}

// stageMemory adds to the state of stage i, for its pipeline rank, what is kept
// of the micro-batches in flight and the larger of what the backward pass
// begins with: the logits, or the gradients passing the last layer.
func (r *run) stageMemory(i, rank int) Memory {
	m := r.state.memory[i]
	st, s := &r.chain.stages[i], &r.stages[i]
	m.Activations = s.keep.Times(inFlight(r.l, rank, r.m))
	if r.p.Counted == LayersAlone {
		return m
	}
	layer, head := s.peak, unit.Bytes(0)
	if st.head {
		head = r.layers.logits + r.layers.head.whole
	}
	if head > layer {
		m.Logits = r.layers.logits
		m.Activations += r.layers.head.whole
	} else {
		m.Activations += layer
	}
	m.Fragmentation = (m.Activations + m.Logits).Times(r.fit.Fragment)
	m.Runtime += r.layers.buffers
	return m
}

// weightGrads returns the placeholders that Transformer Engine hands to
// autograd in place of weight gradients, which it adds to the main gradients
// itself: one for each distinct shape, for the life of the process
// (pytorch/module/base.py, get_dummy_wgrad; linear layers since 2.3, grouped
// ones since 2.10).
func (s *site) weightGrads(h *held) unit.Bytes {
	if s.p.Work.Forward || !s.p.Work.transformerEngine() {
		return 0
	}
	return unit.Bytes(h.shapes * s.prof.Memory.WeightGrads)
}

// transformerEngine reports whether the kernels are those of Transformer
// Engine: the attention of the day rather than one of the years before.
func (w *Workload) transformerEngine() bool {
	switch w.Attention {
	case kernel.Flash1, kernel.Flash2, kernel.Triton, kernel.FusedSoftmax, kernel.Unfused:
		return false
	}
	return true
}

// distinctShapes returns the elements of the distinct weight matrices of a
// stage on one rank.
func (s *site) distinctShapes(st *stage) float64 {
	m, slice := s.p.Model, s.slice()
	n := 0.0
	for k, layers := range st.kinds {
		if layers == 0 {
			continue
		}
		mixer, ffn := m.Kinds[k].Weights(m.Hidden, &slice)
		seenMixer, seenFFN := false, false
		for j := range k {
			if st.kinds[j] > 0 {
				seenMixer = seenMixer || m.Kinds[j].Mixer == m.Kinds[k].Mixer
				seenFFN = seenFFN || m.Kinds[j].FFN == m.Kinds[k].FFN
			}
		}
		if !seenMixer {
			n += mixer
		}
		if !seenFFN {
			n += ffn
		}
	}
	if st.head {
		_, rows := s.vocab()
		n += rows * float64(m.Hidden)
	}
	return n
}

// runtime returns the memory of the process itself: CUDA context and library
// code, and the buffers of each communicator in use, both fitted
// (docs/MEMORY.md, section 2).
func (s *site) runtime() unit.Bytes {
	n := 0.0
	for _, size := range []int{s.tp.Size, s.cp.Size, s.l.PP, s.data.Size, s.ep.Size} {
		if size > 1 {
			n++
		}
	}
	return s.fit.Runtime + s.fit.PerComm.Times(n)
}
