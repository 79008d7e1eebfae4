package costmodel

import "planner/hardware/unit"

// Backward returns the gradients that live at once while the backward pass of
// l runs, beyond what its forward pass kept, for one micro-batch on one rank.
// The feed-forward part, which comes first, has the most:
//
//	incoming gradient, its gathered copy under SP, gradient of the second
//	product's input; then the gradients of the activation's inputs, for which
//	the second product's saved input is already free
//
// Of routed experts the permuted gradient exists twice around the all-to-all.
func (l *Layer) Backward(hidden int, s *Slice) unit.Bytes {
	h, f := float64(hidden)*half, &l.FFN
	in := s.Rows() * h
	gathered := 0.0
	if s.SP && s.TP > 1 {
		gathered = s.Tokens() * h
	}
	peak := gathered
	if x := &l.Mixer; x.Kind == Attention && !s.Attention.Fused() {
		peak = max(peak, 2*half*l.scores(s)) // gradients of the dropout and of the softmax
	}
	if f.Width+f.Shared > 0 {
		a := s.Tokens() * float64(f.Width+f.Shared) / s.TP * half
		peak = max(peak, gathered+a, f.inner(s)*a)
	}
	if f.Experts > 0 {
		io := h
		if f.Latent > 0 {
			io = float64(f.Latent) * half
		}
		n := s.Routed(f.TopK)
		p, a := n*io, n*float64(f.ExpertWidth)/s.ETP*half
		peak = max(peak, 2*p, p+a, f.inner(s)*a)
	}
	return unit.Bytes(in + peak)
}

// KeepsOps reports whether a layer can keep the outputs of every second product
// and of attention, and form the rest again (torchtitan
// distributed/activation_checkpoint.py, option "op"). Of wq, wk, wv, wo, w1, w3,
// w2 it forms wk, wo and w3 again; of an MLP without a gate, w1 and w2, neither:
// what w2 returns is not needed. Layers of another kind keep all.
func (l *Layer) KeepsOps() bool { return l.Mixer.Kind == Attention && l.FFN.Experts == 0 }

// SavedOps returns what such a layer keeps: its input, the attention output with
// its log-sum-exp, and the outputs of wq, wv, w1 and w2. Of w2 every TP rank keeps
// its sum over the whole width, as the product returned it, and under SP what the
// ReduceScatters of both parts return.
func (l *Layer) SavedOps(hidden int, s *Slice) unit.Bytes {
	x, f := &l.Mixer, &l.FFN
	if !l.KeepsOps() {
		return l.Saved(hidden, s, true).All()
	}
	rows := s.Rows() * float64(hidden) // input
	if s.SP && s.TP > 1 {
		rows *= 3
	}
	if f.Gated {
		rows += s.Tokens() * float64(hidden) // w2
	}
	wide := float64(x.Heads*(x.HeadDim+x.VHeadDim))/s.TP + kvHeads(x, s.TP)*float64(x.VHeadDim) + float64(f.Width)/s.TP
	return unit.Bytes(half*(rows+s.Tokens()*wide) + 4*s.Tokens()*float64(x.Heads)/s.TP)
}

// Weights returns the elements of the matrices of one layer on a rank, the
// mixer's and the feed-forward part's; of routed experts those of one.
func (l *Layer) Weights(hidden int, s *Slice) (mixer, ffn float64) {
	p := l.Params(hidden)
	mixer = float64(p.Mixer) / s.TP
	if l.Mixer.Kind == MLA {
		mixer += float64(p.MixerReplicated)
	}
	ffn = float64(p.Dense+p.Shared) / s.TP
	if n := l.FFN.Experts; n > 0 {
		ffn += float64(p.Routed) / float64(n) / s.ETP
	}
	return mixer, ffn
}
