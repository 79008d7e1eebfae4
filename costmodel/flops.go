package costmodel

import "planner/hardware/unit"

// FLOPsPerToken returns the floating-point operations of training on one token
// of a sequence of seq tokens, forward and backward, and the part of them that
// is attention scores and values.
//
// It is 6·(active parameters − look-up tables) + 12·layers·heads·head_dim·seq
// (Chowdhery et al. 2022, arXiv 2204.02311, appendix B), refined: the LM head
// counts even when it is tied to the embedding, which is then not subtracted;
// where keys and values differ in width the second term is
// 6·heads·(d_qk + d_v)·seq; a layer with a window of w counts min(seq, w) keys;
// sparse attention counts min(seq, top k) keys plus its indexer over seq;
// linear and Mamba-2 layers add the updates of their state, which do not grow
// with seq. Recomputation is left out, and so is causality: a causal count
// halves the attention part.
func (m *Model) FLOPsPerToken(seq int) (total, attention unit.FLOPs) {
	matmul := m.ActiveParameters() - m.PositionEmbedding()
	if !m.Tied {
		matmul -= m.Embedding()
	}
	var state unit.FLOPs
	for i, n := range m.KindCounts() {
		x := &m.Kinds[i].Mixer
		attention += unit.FLOPs(float64(n) * x.scoreFLOPs(seq))
		state += unit.FLOPs(float64(n) * x.stateFLOPs())
	}
	return unit.FLOPs(6*float64(matmul)) + attention + state, attention
}

// EndFLOPsPerToken returns the part of FLOPsPerToken that the products at the end
// of layers take: 6·h·ffn a layer without experts.
func (m *Model) EndFLOPsPerToken() unit.FLOPs {
	var widths float64
	for i, n := range m.KindCounts() {
		if f := &m.Kinds[i].FFN; f.Experts == 0 {
			widths += float64(n * f.Width)
		}
	}
	return unit.FLOPs(6 * float64(m.Hidden) * widths)
}

// Span returns the keys that a query of l may see in a sequence of seq tokens,
// causality left out: seq, or the window where it is shorter.
func (x *Mixer) Span(seq int) int {
	if x.Window > 0 && x.Window < seq {
		seq = x.Window
	}
	if x.IndexTopK > 0 && x.IndexTopK < seq {
		seq = x.IndexTopK
	}
	return seq
}

// scoreFLOPs is the part that grows with the number of keys, forward and
// backward (three times forward), per token.
func (x *Mixer) scoreFLOPs(seq int) float64 {
	if x.Kind != Attention && x.Kind != MLA {
		return 0
	}
	core := 6 * float64(x.Heads) * float64(x.HeadDim+x.VHeadDim) * float64(x.Span(seq))
	return core + 6*float64(x.IndexHeads)*float64(x.IndexDim)*float64(seq)
}

// stateFLOPs is the recurrence of a layer with a state, forward and backward,
// per token: a gated delta net reads, corrects and reads out a matrix of
// d_k × d_v a head (3 multiply-adds an element, arXiv 2412.06464, equation 10);
// Mamba-2 writes and reads out one of state × head_dim (2, arXiv 2405.21060,
// section 2).
func (x *Mixer) stateFLOPs() float64 {
	switch x.Kind {
	case Linear:
		return 18 * float64(x.Heads) * float64(x.HeadDim*x.VHeadDim)
	case Mamba2:
		return 12 * float64(x.Heads) * float64(x.HeadDim*x.State)
	}
	return 0
}

// OpsFLOPsPerToken returns the part of FLOPsPerToken that the products take of
// which layers that keep every second product's output form the output again:
// see [Layer.KeepsOps].
func (m *Model) OpsFLOPsPerToken() unit.FLOPs {
	var columns float64
	for i, n := range m.KindCounts() {
		l := &m.Kinds[i]
		if !l.KeepsOps() {
			continue
		}
		x := &l.Mixer
		again := x.KVHeads*x.HeadDim + x.Heads*x.VHeadDim
		if l.FFN.Gated {
			again += l.FFN.Width
		}
		columns += float64(n * again)
	}
	return unit.FLOPs(6 * float64(m.Hidden) * columns)
}

// HeadFLOPsPerToken returns the part of FLOPsPerToken that the LM head takes,
// 6·h·V, which no recomputation of layers repeats.
func (m *Model) HeadFLOPsPerToken() unit.FLOPs {
	return unit.FLOPs(6 * float64(m.Hidden) * float64(m.Vocab))
}

// RoutedFLOPsPerToken returns the part of FLOPsPerToken that routed experts take.
func (m *Model) RoutedFLOPsPerToken() unit.FLOPs {
	var routed float64
	for i, n := range m.KindCounts() {
		if f := &m.Kinds[i].FFN; f.Experts > 0 {
			routed += float64(n*f.TopK) * float64(m.Kinds[i].Params(m.Hidden).Routed) / float64(f.Experts)
		}
	}
	return unit.FLOPs(6 * routed)
}
