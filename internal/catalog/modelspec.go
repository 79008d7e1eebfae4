package catalog

import "planner/costmodel"

// modelSpec is a model as its TOML describes it, and what an imported
// configuration is turned into. Widths are in elements.
type modelSpec struct {
	Title  string `toml:"title"`
	Family string `toml:"family"`
	// Style sets what the keys below leave out: "llama" (RMSNorm, gated MLP,
	// no biases) or "gpt" (LayerNorm, plain MLP, biases, learned positions).
	Style string `toml:"style"`
	// Like names a model of the same file whose keys are the defaults.
	Like string `toml:"like"`

	Layers    int  `toml:"layers"`
	Hidden    int  `toml:"hidden"`
	Heads     int  `toml:"heads"`
	KVHeads   int  `toml:"kv_heads"` // default: heads
	HeadDim   int  `toml:"head_dim"` // default: hidden / heads
	FFN       int  `toml:"ffn"`
	Vocab     int  `toml:"vocab"`
	SeqLen    int  `toml:"seq_len"`
	Positions *int `toml:"positions"` // learned positions; default by style
	Tied      bool `toml:"tied_embeddings"`

	Norm       string `toml:"norm"`    // "rms", "layer", "layer-no-bias" or "none"
	LayerNorms int    `toml:"norms"`   // a layer; default 2
	QKNorm     string `toml:"qk_norm"` // "" or "head" (over one head) or "full" (over all)
	Gated      *bool  `toml:"gated"`
	QKVBias    *bool  `toml:"qkv_bias"`
	OutBias    *bool  `toml:"out_bias"`
	MLPBias    *bool  `toml:"mlp_bias"`
	HeadBias   bool   `toml:"head_bias"`
	EmbedNorm  bool   `toml:"embed_norm"`
	Parallel   bool   `toml:"parallel"` // attention and MLP side by side
	OutGate    bool   `toml:"output_gate"`
	Sinks      bool   `toml:"sinks"`
	Extra      int    `toml:"extra"` // other parameters of a layer

	// A window applies to every layer but each FullEvery-th.
	Window    int  `toml:"window"`
	Chunked   bool `toml:"chunked"`
	FullEvery int  `toml:"full_every"`

	MLA *mlaSpec `toml:"mla"`
	MoE *moeSpec `toml:"moe"`
	// Linear and Lightning layers are all but each FullEvery-th.
	Linear    *linearSpec `toml:"linear"`
	Lightning bool        `toml:"lightning"` // MiniMax's, with the heads of attention
	Mamba     *mambaSpec  `toml:"mamba"`
	// Pattern has a letter a layer: M Mamba-2, * attention, - MLP, E experts.
	Pattern string `toml:"pattern"`
	MTP     int    `toml:"mtp_layers"`

	Notes           []string `toml:"notes"`
	Published       string   `toml:"published"`        // the total that PublishedBy prints, as printed
	PublishedWithin float64  `toml:"published_within"` // relative, where it rounds more coarsely
	PublishedBy     string   `toml:"published_by"`
	Source          string   `toml:"source"`
	AsOf            string   `toml:"as_of"`

	each func(i int, l *costmodel.Layer) // what differs from layer to layer
}

// mlaSpec is multi-head latent attention: ranks of the compressed queries (0:
// none) and of keys and values; parts of a head without and with rotation.
type mlaSpec struct {
	QRank  int `toml:"q_rank"`
	KVRank int `toml:"kv_rank"`
	NoPE   int `toml:"nope"`
	RoPE   int `toml:"rope"`
	V      int `toml:"v"`

	IndexHeads int `toml:"index_heads"`
	IndexDim   int `toml:"index_dim"`
	IndexTopK  int `toml:"index_top_k"`
}

// moeSpec is a mixture of experts: layers FirstDense, … each Every-th.
type moeSpec struct {
	Experts    int  `toml:"experts"`
	TopK       int  `toml:"top_k"`
	Groups     int  `toml:"groups"`     // of experts, of which a token reaches top_groups
	TopGroups  int  `toml:"top_groups"` // 0 and 0: no limit
	FFN        int  `toml:"ffn"`        // of one routed expert
	Shared     int  `toml:"shared"`     // of all shared experts together
	SharedGate bool `toml:"shared_gate"`
	FirstDense int  `toml:"first_dense"` // dense layers at the start
	Every      int  `toml:"every"`       // default 1
	Bias       bool `toml:"bias"`        // biases in the experts
	RouterBias bool `toml:"router_bias"` // one element an expert
	Latent     int  `toml:"latent"`
}

// linearSpec is a gated delta net.
type linearSpec struct {
	KeyHeads   int `toml:"key_heads"`
	ValueHeads int `toml:"value_heads"`
	KeyDim     int `toml:"key_dim"`
	ValueDim   int `toml:"value_dim"`
	Conv       int `toml:"conv"`
}

// mambaSpec is a Mamba-2 block.
type mambaSpec struct {
	Heads   int `toml:"heads"`
	HeadDim int `toml:"head_dim"`
	State   int `toml:"state"`
	Groups  int `toml:"groups"`
	Conv    int `toml:"conv"`
}
