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
