package costmodel

// params returns the elements that tensor parallelism splits and those it
// leaves whole.
func (x *Mixer) params(h int64) (sharded, replicated int64) {
	switch x.Kind {
	case Attention:
		sharded, replicated = x.attentionParams(h)
	case MLA:
		sharded, replicated = x.mlaParams(h)
	case Linear:
		sharded, replicated = x.linearParams(h)
	case Mamba2:
		sharded, replicated = x.mamba2Params(h)
	}
	return sharded, replicated + int64(x.Extra)
}

// attentionParams: h·d·(heads + kv) for queries and keys, h·dv·(kv + heads)
// for values and output.
func (x *Mixer) attentionParams(h int64) (sharded, replicated int64) {
	q := int64(x.Heads * x.HeadDim)
	kv := int64(x.KVHeads * (x.HeadDim + x.VHeadDim))
	if x.SharedKV {
		kv = int64(x.KVHeads * x.HeadDim)
	}
	sharded = h*(q+kv) + h*int64(x.Heads*x.VHeadDim) + int64(x.Sinks)
	if x.OutGate {
		sharded += h * q
	}
	if x.HeadGate {
		sharded += h * int64(x.Heads)
	}
	if x.QKVBias {
		sharded += q + kv
	}
	if x.OutBias {
		replicated += h
	}
	return sharded, replicated + int64(x.QKNorm) + x.indexParams(h)
}

// mlaParams follows DeepSeek-V2 (arXiv 2405.04434, section 2.1): compressed
// queries (optional) and keys/values, each with a norm over its rank.
func (x *Mixer) mlaParams(h int64) (sharded, replicated int64) {
	q, qr, kvr := int64(x.Heads*x.HeadDim), int64(x.QRank), int64(x.KVRank)
	if qr == 0 {
		sharded = h * q
	} else {
		sharded = qr * q
		replicated = h*qr + qr
	}
	sharded += kvr*int64(x.Heads*(x.HeadDim-x.RopeDim+x.VHeadDim)) + int64(x.Heads*x.VHeadDim)*h
	replicated += h*(kvr+int64(x.RopeDim)) + kvr
	if x.QKVBias {
		replicated += qr + kvr + int64(x.RopeDim)
	}
	if x.OutBias {
		replicated += h
	}
	return sharded, replicated + int64(x.QKNorm) + x.indexParams(h)
}

// indexParams counts the indexer of DeepSeek V3.2: queries from the compressed
// queries, one shared key with a LayerNorm, one weight a head.
func (x *Mixer) indexParams(h int64) int64 {
	if x.IndexHeads == 0 {
		return 0
	}
	d, n := int64(x.IndexDim), int64(x.IndexHeads)
	from := int64(x.QRank)
	if from == 0 {
		from = h
	}
	return from*n*d + h*d + 2*d + h*n
}

// linearParams counts a gated delta net (Qwen3-Next): q and k of KVHeads·HeadDim,
// v and its gate of Heads·VHeadDim, two scalars a value head, a depthwise
// convolution over q, k and v, A and dt a value head, and a gated norm. With a
// fixed decay (MiniMax-01, arXiv 2501.08313, section 2.2) it is q, k, v, the
// gate, the output and a norm over all heads.
func (x *Mixer) linearParams(h int64) (sharded, replicated int64) {
	k, v, n := int64(x.KVHeads*x.HeadDim), int64(x.Heads*x.VHeadDim), int64(x.Heads)
	if x.FixedDecay {
		return h*(2*k+2*v) + v + v*h, 0
	}
	sharded = h*(2*k+2*v+2*n) + int64(x.Conv)*(2*k+v) + 2*n + v*h
	return sharded, int64(x.VHeadDim)
}

// mamba2Params counts a Mamba-2 block (arXiv 2405.21060): one input projection
// for z, x, B, C and dt, a depthwise convolution over x, B and C, the scalars
// A, D and dt a head, a gated norm over the inner width.
func (x *Mixer) mamba2Params(h int64) (sharded, replicated int64) {
	inner, n := int64(x.Heads*x.HeadDim), int64(x.Heads)
	conv := inner + 2*int64(x.Groups*x.State)
	in := inner + conv + n
	sharded = h*in + conv*int64(x.Conv) + 3*n + inner + inner*h
	if x.ConvBias {
		sharded += conv
	}
	if x.QKVBias {
		sharded += in
	}
	if x.OutBias {
		replicated = h
	}
	return sharded, replicated
}
