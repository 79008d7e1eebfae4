package costmodel

// LayerParams breaks the parameters of one layer down by what a layout does
// with them, in elements. Tensor parallelism splits Mixer, Dense and Shared;
// every tensor-parallel rank keeps MixerReplicated, Norms, Router and
// FFNReplicated whole; expert parallelism splits Routed.
type LayerParams struct {
	// Mixer is the column- and row-parallel matrices of the mixer, the biases
	// of the column-parallel ones, sinks, convolutions and per-head scalars.
	Mixer int64
	// MixerReplicated is q/k norms, the bias of the output projection, MLA's
	// down projections with their norms, and sparse-attention indexers.
	MixerReplicated int64
	Norms           int64 // norms over the residual stream
	// Router is the router with its bias, the gate of the shared expert, and
	// the projections to and from the experts' latent width.
	Router int64
	Dense  int64 // dense MLP with its column-parallel biases
	Shared int64 // shared experts
	// FFNReplicated is the row-parallel bias of the dense MLP.
	FFNReplicated int64
	Routed        int64 // all routed experts, with their biases
}

// Total returns the sum of all parts.
func (p LayerParams) Total() int64 { return p.Replicated() + p.Sharded() + p.Routed }

// Replicated returns what every tensor-parallel rank keeps whole.
func (p LayerParams) Replicated() int64 {
	return p.MixerReplicated + p.Norms + p.Router + p.FFNReplicated
}

// Sharded returns what tensor parallelism splits, routed experts left out.
func (p LayerParams) Sharded() int64 { return p.Mixer + p.Dense + p.Shared }

// Params counts the parameters of l in a model of the given hidden size.
func (l *Layer) Params(hidden int) LayerParams {
	p := l.FFN.params(int64(hidden))
	p.Mixer, p.MixerReplicated = l.Mixer.params(int64(hidden))
	p.Norms = int64(l.NormParams)
	return p
}

// Active counts the parameters of l that one token meets: of the routed
// experts only its top k.
func (l *Layer) Active(hidden int) int64 {
	p := l.Params(hidden)
	if l.FFN.Experts == 0 {
		return p.Total()
	}
	return p.Total() - p.Routed + p.Routed/int64(l.FFN.Experts)*int64(l.FFN.TopK)
}

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

// Corrected reports whether the router balances by a bias on the scores of its
// experts (DeepSeek-V3, arXiv 2412.19437, section 2.1.2). Where experts have
// biases (gpt-oss), the router's is one of its product; where it is not one an
// expert (Gemma 4), it is a scale.
func (f *FFN) Corrected() bool {
	return f.Experts > 0 && f.RouterBias == f.Experts && !f.ExpertBias
}

func (f *FFN) params(h int64) (p LayerParams) {
	up := int64(f.projections() - 1)
	w := int64(f.Width)
	p.Dense = (up + 1) * h * w
	if f.Bias && w > 0 {
		p.Dense += up * w
		p.FFNReplicated = h
	}
	if f.Experts == 0 {
		return p
	}
	n, io := int64(f.Experts), h
	p.Router = h*n + int64(f.RouterBias)
	if f.Latent > 0 {
		io = int64(f.Latent)
		p.Router += 2 * h * io
	}
	expert := (up + 1) * io * int64(f.ExpertWidth)
	if f.ExpertBias {
		expert += up*int64(f.ExpertWidth) + io
	}
	p.Routed = n * expert
	p.Shared = (up + 1) * h * int64(f.Shared)
	if f.SharedGate {
		p.Router += h
	}
	return p
}

// Embedding returns the elements of the token embedding, V·h.
func (m *Model) Embedding() int64 { return int64(m.Vocab) * int64(m.Hidden) }

// PositionEmbedding returns the elements of the learned positions.
func (m *Model) PositionEmbedding() int64 { return int64(m.Positions) * int64(m.Hidden) }

// Head returns the elements that the LM head adds: 0 when it is tied to the
// embedding and has no bias.
func (m *Model) Head() int64 {
	n := int64(0)
	if !m.Tied {
		n = m.Embedding()
	}
	if m.HeadBias {
		n += int64(m.Vocab)
	}
	return n
}

// outer returns all parameters outside the layers.
func (m *Model) outer() int64 {
	return m.Embedding() + m.PositionEmbedding() + m.Head() + int64(m.EmbedNorm+m.FinalNorm)
}

// Parameters returns the total, a tied matrix once, multi-token-prediction
// layers left out.
func (m *Model) Parameters() int64 {
	n := m.outer()
	for i, c := range m.KindCounts() {
		n += int64(c) * m.Kinds[i].Params(m.Hidden).Total()
	}
	return n
}

// ActiveParameters returns the parameters that one token meets, embeddings
// included: shared experts and the top k of the routed ones.
func (m *Model) ActiveParameters() int64 {
	n := m.outer()
	for i, c := range m.KindCounts() {
		n += int64(c) * m.Kinds[i].Active(m.Hidden)
	}
	return n
}

// KindCounts returns how many layers are of each kind.
func (m *Model) KindCounts() []int {
	n := make([]int, len(m.Kinds))
	for _, k := range m.Pattern {
		n[k]++
	}
	return n
}
