package costmodel

import "slices"

// Model is a decoder-only transformer (or a hybrid of attention and
// state-space layers) as its configuration file fixes it: no layout, no batch.
type Model struct {
	Name   string // preset name or file, such as "llama3.1-70b"
	Title  string // as people write it, such as "Llama-3.1-70B"
	Family string // model_type of the configuration, such as "llama"

	Hidden int // width of the residual stream, h
	Vocab  int // rows of the embedding as stored in the checkpoint, V
	MaxSeq int // longest sequence the model was trained to
	// Positions is the number of learned absolute positions, 0 for rotary,
	// ALiBi or none.
	Positions int
	Tied      bool // input embedding and LM head share one matrix
	HeadBias  bool // the LM head has a bias of V elements

	// Kinds holds the distinct layers; Pattern names the kind of each layer in
	// order, so len(Pattern) is the number of layers L.
	Kinds   []Layer
	Pattern []uint8

	// EmbedNorm and FinalNorm count the parameters of a norm after the
	// embedding (BLOOM) and before the head, in elements.
	EmbedNorm, FinalNorm int

	// MTP holds multi-token-prediction layers, which the totals leave out
	// unless a plan asks for them.
	MTP []Layer

	Notes        []string // what an import assumed or left out
	Source, AsOf string
}

// Layers returns the number of layers L, multi-token prediction left out.
func (m *Model) Layers() int { return len(m.Pattern) }

// Append adds a layer to the end of the model, under the kind of an equal one
// where there is one. It reports false when the model has 256 other kinds.
func (m *Model) Append(l Layer) bool {
	k := slices.Index(m.Kinds, l)
	if k < 0 {
		k = len(m.Kinds)
		m.Kinds = append(m.Kinds, l)
	}
	m.Pattern = append(m.Pattern, uint8(k))
	return k < 256
}

// Truncate returns a model of the first layers layers of m, as published runs
// on a part of a model use it; more than m has repeat the last one.
func (m *Model) Truncate(layers int) *Model {
	t := *m
	t.Kinds, t.Pattern = nil, nil
	for i := range layers {
		t.Append(m.Kinds[m.Pattern[min(i, len(m.Pattern)-1)]])
	}
	return &t
}

// Layer is one transformer layer: a mixer (attention or a state-space or
// linear layer) and a feed-forward part, each possibly absent (hybrids).
type Layer struct {
	Mixer Mixer
	FFN   FFN
	// Norms counts the full-width norms of the layer (2 as a rule, 4 in
	// Gemma 2/3, 1 for parallel blocks with one norm), and NormParams their
	// parameters in elements (h each for RMSNorm, 2h for LayerNorm, 0 without
	// weights).
	Norms, NormParams int
	LayerNorm         bool // LayerNorm rather than RMSNorm
	Parallel          bool // attention and feed-forward read the same input (NeoX, Falcon, GPT-J)
}

// MixerKind tells what mixes tokens in a layer.
type MixerKind uint8

// The mixers that parameters and FLOPs are known for.
const (
	NoMixer   MixerKind = iota // a layer of feed-forward only (Nemotron-H)
	Attention                  // MHA, GQA or MQA
	MLA                        // multi-head latent attention (DeepSeek)
	Linear                     // gated delta net (Qwen3-Next, Qwen3.5)
	Mamba2                     // Mamba-2 (Nemotron-H)
)

// Mixer is the token-mixing part of a layer. Counts are of the whole layer.
type Mixer struct {
	Kind MixerKind

	Heads, KVHeads int
	HeadDim        int // of queries and keys (MLA: nope + rope)
	VHeadDim       int // of values; equals HeadDim but in MLA and linear layers
	Window         int // sliding or chunked window in tokens, 0: full attention
	ChunkedWindow  bool

	QKVBias, OutBias bool
	QKNorm           int  // parameters of the q and k norms together, elements
	Sinks            int  // learned attention sinks, elements (gpt-oss: one a head)
	OutGate          bool // an output gate as wide as q (Qwen3-Next)

	// MLA: ranks of the compressed queries (0: none) and keys/values, and the
	// rotary part of HeadDim.
	QRank, KVRank, RopeDim int

	// Linear and Mamba-2 layers: state size, convolution width and groups.
	State, Conv, Groups int

	// SharedKV says that values are the keys (Gemma 4's global layers): no value
	// projection.
	SharedKV bool
	// HeadGate is a gate of h parameters on the output of each head (Step 3.5).
	HeadGate bool
	// FixedDecay marks a linear layer whose decay is not learned, without
	// convolution and with a norm over all heads (MiniMax's lightning
	// attention).
	FixedDecay bool
	// ConvBias says that the convolution of a Mamba-2 layer has a bias.
	ConvBias bool

	// Sparse attention (DeepSeek V3.2): an indexer of IndexHeads heads of
	// IndexDim scores every key, and attention reads the IndexTopK best.
	// IndexTopK 0: none; IndexHeads 0 with IndexTopK > 0: the layer reuses the
	// choice of an earlier one.
	IndexHeads, IndexDim, IndexTopK int

	// Extra counts parameters that no field above implies and that every
	// tensor-parallel rank keeps.
	Extra int
}

// FFN is the feed-forward part of a layer: dense when Experts is 0.
type FFN struct {
	Width int  // inner width of the dense MLP, 0: none
	Gated bool // gate and up projections (SwiGLU, GeGLU)
	Bias  bool

	Experts int // routed experts, 0: dense
	TopK    int // routed experts per token
	// Of Groups equal groups of experts a token reaches TopGroups (DeepSeek-V3,
	// arXiv 2412.19437, section 2.1.2, node-limited routing); Groups 0: any.
	Groups, TopGroups int
	ExpertWidth       int // inner width of a routed expert
	ExpertBias        bool
	// Latent is the width that routed experts read and write where it is not
	// the hidden size (Nemotron 3 Ultra), with projections down and up; 0: h.
	Latent     int
	Shared     int  // inner width of all shared experts together
	SharedGate bool // a scalar gate on the shared expert (h parameters)
	RouterBias int  // router bias, scales or correction elements counted in the total
}
