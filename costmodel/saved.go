package costmodel

import "planner/hardware/unit"

// Saved is what the backward pass of one layer needs from its forward pass,
// for one micro-batch on one rank, in bytes. The terms follow Korthikanti et
// al. 2022 (arXiv 2205.05198, section 4), extended to gated MLPs, grouped
// queries, latent attention, recurrent layers and experts.
type Saved struct {
	Input  unit.Bytes // the layer's input: all that full recompute keeps
	Scores unit.Bytes // softmax, its mask and dropout: what selective recompute drops
	Rest   unit.Bytes
}

// All returns the sum of the parts.
func (a Saved) All() unit.Bytes { return a.Input + a.Scores + a.Rest }

// scoreBytes is what unfused attention keeps per score: the softmax and its
// dropout at 2 bytes and a mask of 1 byte.
const scoreBytes = 5.0

// Saved returns the activations of l that one micro-batch leaves. gathered
// says that the inputs of column-parallel products are kept gathered over TP
// although SP splits them.
func (l *Layer) Saved(hidden int, s *Slice, gathered bool) Saved {
	h, t, rows := float64(hidden), s.Tokens(), s.Rows()
	row := rows * h * half
	in := rows * h * s.input()
	if gathered {
		in = t * h * s.input()
	}
	a := Saved{Input: unit.Bytes(row)}
	rest := float64(max(0, l.Norms-1))*row + l.mixerSaved(s, in)
	rest += l.FFN.saved(h, s, in)
	if l.dropout() {
		rest += 2 * rows * h // a byte of mask after attention and after the MLP
	}
	a.Rest = unit.Bytes(rest)
	if l.Mixer.Kind == Attention && !s.Attention.Fused() {
		a.Scores = unit.Bytes(l.scores(s) * scoreBytes)
	}
	return a
}

// scores returns the attention scores of one micro-batch on one rank.
func (l *Layer) scores(s *Slice) float64 {
	return float64(l.Mixer.Heads) / s.TP * s.Tokens() * float64(l.Mixer.Span(int(s.Seq)))
}

// dropout tells layers of the GPT kind, which are trained with dropout, by
// their LayerNorm and biases.
func (l *Layer) dropout() bool { return l.LayerNorm && l.FFN.Bias }

func (l *Layer) mixerSaved(s *Slice, in float64) float64 {
	x, t := &l.Mixer, s.Tokens()
	switch x.Kind {
	case Attention:
		return in + t*(half*x.attentionSaved(s.TP)+x.outputCopies(s)*float64(x.Heads*x.VHeadDim)/s.TP)
	case MLA:
		compressed := float64(2*x.QRank + 2*x.KVRank + x.RopeDim)
		heads := float64(x.Heads) / s.TP
		full := heads * (half*float64(2*x.HeadDim+2*x.VHeadDim) + x.outputCopies(s)*float64(x.VHeadDim) + 4)
		return in + s.Rows()*half*compressed + t*full
	case Linear, Mamba2:
		return in + t*x.recurrentSaved()/s.TP
	}
	return 0
}

// deltaChunk is the tokens of a chunk of the gated delta rule, whose matrix of
// inner products the backward pass reads (flash-linear-attention,
// ops/gated_delta_rule/chunk.py).
const deltaChunk = 64

// recurrentSaved returns the bytes of a token that a layer with a state keeps
// beside its input:
//
//	Mamba-2: what the input projection returns, the scan's output and its gated
//	norm; the convolution is formed again (state-spaces/mamba,
//	ops/triton/ssd_combined.py, MambaSplitConv1dScanCombinedFn)
//	gated delta rule: q, k, v and the gate as projected, q, k and v convolved, the
//	output and its gated norm, a row of the chunk's matrix, decay and β in fp32
//	fixed decay: q, k, v, gate, output and norm before and after their activation
func (x *Mixer) recurrentSaved() float64 {
	heads, inner := float64(x.Heads), float64(x.Heads*x.VHeadDim)
	keys := float64(x.KVHeads * x.HeadDim)
	switch {
	case x.Kind == Mamba2:
		inner = float64(x.Heads * x.HeadDim)
		return half * (2*inner + 2*float64(x.Groups*x.State) + heads + 2*inner)
	case x.FixedDecay:
		return half * 2 * (2*keys + 4*inner)
	}
	return half*((2*keys+2*inner)+(2*keys+inner)+2*inner+deltaChunk*heads) + 8*heads
}

// attentionSaved counts elements per token: q, k and v as the core reads them
// (rotary embedding keeps its inputs too), the output, and the log-sum-exp.
func (x *Mixer) attentionSaved(tp float64) float64 {
	q := float64(x.Heads*x.HeadDim) / tp
	k := kvHeads(x, tp) * float64(x.HeadDim)
	v := kvHeads(x, tp) * float64(x.VHeadDim)
	n := q + k + v + float64(x.Heads*x.VHeadDim)/tp + 2*float64(x.Heads)/tp
	if x.QKNorm > 0 {
		n += q + k
	}
	if x.OutGate {
		n += 2 * q
	}
	return n
}

// outputCopies returns the bytes an element of the attention output takes
// beside its 16-bit original: the quantised input of the output projection,
// and the output as it was before an all-to-all moved it back to its tokens
// (Transformer Engine 2.8 and later, attention/context_parallel.py).
func (x *Mixer) outputCopies(s *Slice) float64 {
	if s.Ulysses && s.CP > 1 {
		return s.lowCopy() + half
	}
	return s.lowCopy()
}

func (f *FFN) saved(h float64, s *Slice, in float64) float64 {
	t, up, n := s.Tokens(), f.inner(s), 0.0
	if f.Width > 0 {
		n += in + t*float64(f.Width)/s.TP*(up*half+s.input())
	}
	if f.Shared > 0 {
		n += t * float64(f.Shared) / s.TP * (up*half + s.input())
	}
	if f.Experts > 0 {
		n += in + f.routedSaved(h, s, up)
	}
	return n
}

// inner returns the 16-bit tensors of the inner width that the activation
// function keeps: its input, of a gated MLP both halves, and the gate's
// activation where silu and product are kernels of their own.
func (f *FFN) inner(s *Slice) float64 {
	switch {
	case !f.Gated:
		return 1
	case s.PlainGLU:
		return 3
	}
	return 2
}

// routedSaved counts the permuted inputs and the inner activations of the
// experts, and the router's logits and probabilities in fp32. Outputs are not
// kept: the probabilities are applied inside the experts (Megatron-LM core 0.12
// and later, moe/experts.py).
func (f *FFN) routedSaved(h float64, s *Slice, up float64) float64 {
	io := h
	if f.Latent > 0 {
		io = float64(f.Latent)
	}
	routed := s.Routed(f.TopK)
	inner := float64(f.ExpertWidth) / s.ETP * (up*half + s.input())
	router := s.Tokens() / s.TP * float64(f.Experts) * 8
	return routed*(io*s.input()+inner) + router
}
