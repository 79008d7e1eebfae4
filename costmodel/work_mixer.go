package costmodel

import "planner/costmodel/kernel"

func (w *worker) attention(x *Mixer) {
	q := float64(x.Heads*x.HeadDim) / w.s.TP
	k := kvHeads(x, w.s.TP) * float64(x.HeadDim)
	v := kvHeads(x, w.s.TP) * float64(x.VHeadDim)
	wide := q + k + v
	if x.SharedKV {
		wide -= v
	}
	if x.OutGate {
		wide += q
	}
	w.linearAgain(w.t, wide, w.h, k)
	w.linearAgain(w.t, w.h, float64(x.Heads*x.VHeadDim)/w.s.TP, w.h)
	w.core(x, kvHeads(x, w.s.TP))
	rotary := w.t * (q + k) * half
	if x.QKNorm > 0 {
		rotary *= 2
	}
	w.stream(2*rotary, 2*rotary)
}

// kvHeads returns the key/value heads of a rank: replicated where TP exceeds
// them.
func kvHeads(x *Mixer, tp float64) float64 { return max(1, float64(x.KVHeads)/tp) }

// core adds the attention core. Under context parallelism each rank has an
// equal share of a causal mask (zig-zag order), so it does 1/c of the whole.
func (w *worker) core(x *Mixer, kv float64) {
	seq := w.s.Seq
	if x.ChunkedWindow && float64(x.Window) < seq && x.Window > 0 {
		seq = float64(x.Window)
	}
	spec := kernel.AttentionSpec{
		Batch: w.s.Batch * w.s.Seq / seq, Heads: float64(x.Heads) / w.s.TP, KVHeads: kv,
		SeqQ: seq, SeqK: seq, DimQK: float64(x.HeadDim), DimV: float64(x.VHeadDim),
		Causal: true, Window: x.Span(int(seq)), Kernel: w.s.Attention,
	}
	if x.FallsBack(w.s) {
		spec.Kernel = kernel.Unfused
	}
	f, b := w.d.Attention(spec)
	share := 1 / w.s.CP
	if x.HeadDim%8 != 0 && !w.s.Attention.Fused() {
		share *= max(1, w.s.Misaligned)
	}
	w.out.Core = w.out.Core.Plus(Pass{f, b}.Times(share))
	if w.list != nil {
		w.listCore(spec.Batch*spec.SeqQ/w.s.CP, spec.Heads*spec.DimQK, spec.Pairs()/spec.SeqQ, Pass{f, b}.Times(share))
	}
}

// mla follows DeepSeek-V2, arXiv 2405.04434 section 2.1: the down projections
// are computed whole on every rank, the up projections are split by heads.
func (w *worker) mla(x *Mixer) {
	heads := float64(x.Heads) / w.s.TP
	rows := w.t
	if w.s.SP {
		rows /= w.s.TP
	}
	if x.QRank > 0 {
		w.linear(rows, float64(x.QRank), w.h)
		w.linear(w.t, heads*float64(x.HeadDim), float64(x.QRank))
	} else {
		w.linear(w.t, heads*float64(x.HeadDim), w.h)
	}
	w.linear(rows, float64(x.KVRank+x.RopeDim), w.h)
	w.linear(w.t, heads*float64(x.HeadDim-x.RopeDim+x.VHeadDim), float64(x.KVRank))
	w.linear(w.t, w.h, heads*float64(x.VHeadDim))
	w.core(x, heads)
	parts := w.t*heads*float64(2*x.HeadDim)*half + rows*float64(x.QRank+x.KVRank)*half
	w.stream(2*parts, 2*parts)
}

// recurrent adds a gated delta net or a Mamba-2 block: the projections, the
// depthwise convolution and the chunked scan.
func (w *worker) recurrent(x *Mixer) {
	sharded, _ := x.params(int64(w.h))
	spec := kernel.ScanSpec{
		Tokens: w.t, Heads: float64(x.Heads) / w.s.TP, Groups: float64(x.KVHeads) / w.s.TP,
		DimK: float64(x.HeadDim), DimV: float64(x.VHeadDim), Delta: x.Kind == Linear,
	}
	out := spec.Heads * float64(x.VHeadDim)
	if x.Kind == Mamba2 {
		spec.Groups = float64(x.Groups) / w.s.TP
		spec.DimK, spec.DimV = float64(x.State), float64(x.HeadDim)
		out = spec.Heads * float64(x.HeadDim)
	}
	wide := float64(sharded)/w.h/w.s.TP - out
	w.linear(w.t, wide, w.h)
	w.linear(w.t, w.h, out)
	f, b := w.d.Scan(spec)
	w.out.Core = w.out.Core.Plus(Pass{f, b})
	if w.list != nil {
		w.listCore(w.t, spec.Heads*spec.DimV, spec.DimK, Pass{f, b})
	}
	w.stream(2*w.t*wide*half, 4*w.t*wide*half)
}
