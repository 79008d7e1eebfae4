package catalog

import "planner/costmodel"

// Spellings of what mixtures of experts have in common.
var (
	expertKeys      = []string{"num_experts", "num_local_experts", "n_routed_experts", "moe_num_experts"}
	topKKeys        = []string{"num_experts_per_tok", "num_experts_per_token", "experts_per_token", "top_k_experts", "moe_top_k"}
	expertWidthKeys = []string{"moe_intermediate_size", "expert_intermediate_size", "moe_ffn_hidden_size"}
)

// base reads what all families share; a family adds to it or changes it.
func (c *hfConfig) base() *modelSpec {
	s := &modelSpec{
		Layers:  c.layers(),
		Hidden:  c.size(maxWidth, hiddenKeys...),
		Heads:   c.size(maxWidth, headsKeys...),
		KVHeads: c.opt(0, maxWidth, "num_key_value_heads", "num_kv_heads", "n_head_kv"),
		HeadDim: c.opt(0, maxWidth, "head_dim"),
		FFN:     c.opt(0, maxWidth, "intermediate_size", "n_inner", "ffn_dim", "ffn_hidden_size"),
		Vocab:   c.size(maxVocab, "vocab_size"),
		SeqLen:  c.opt(0, maxSeqLen, "max_position_embeddings", "n_positions", "max_seq_len", "seq_length", "max_sequence_length"),
		Tied:    c.tiedEmbeddings(),
		MTP:     c.opt(0, 64, "num_nextn_predict_layers", "mtp_num_hidden_layers"),
	}
	if c.nested() {
		s.Notes = append(s.Notes, "vision tower not included")
	}
	return s
}

// layers is a number, or implied by the list of the layers' types.
func (c *hfConfig) layers() int {
	if list := c.list(-1, "layers_block_type"); list != nil && c.raw["num_hidden_layers"] == nil {
		return len(list)
	}
	return c.size(maxLayers, layersKeys...)
}

// headDim is head_dim, or hidden / heads.
func (s *modelSpec) headDim() int {
	if s.HeadDim > 0 || s.Heads == 0 {
		return s.HeadDim
	}
	return s.Hidden / s.Heads
}

// ffn makes the dense width a required one.
func (c *hfConfig) ffn(s *modelSpec) { s.FFN = c.size(maxWidth, "intermediate_size") }

// biases sets the biases of q, k and v, of the output, and of the MLP.
func (s *modelSpec) biases(qkv, out, mlp bool) { s.QKVBias, s.OutBias, s.MLPBias = &qkv, &out, &mlp }

func (s *modelSpec) positions(n int) { s.Positions = &n }

func (s *modelSpec) plain() { s.Gated = new(bool) }

// also adds to what differs from layer to layer.
func (s *modelSpec) also(f func(i int, l *costmodel.Layer)) {
	before := s.each
	s.each = func(i int, l *costmodel.Layer) {
		if before != nil {
			before(i, l)
		}
		f(i, l)
	}
}

// windows gives the layers that types names (sliding_attention by default,
// chunked_attention) the window; the others see all keys. Without a list all
// layers but each every-th have it (every 0: all).
func (c *hfConfig) windows(s *modelSpec, window, every int) {
	types := c.strings(s.Layers, "layer_types")
	if types == nil {
		if window > 0 {
			s.Window, s.FullEvery = window, every
		}
		return
	}
	s.also(func(i int, l *costmodel.Layer) {
		switch types[i] {
		case "sliding_attention":
			l.Mixer.Window = window
		case "chunked_attention":
			l.Mixer.Window, l.Mixer.ChunkedWindow = window, true
		}
	})
	for _, t := range types {
		switch t {
		case "full_attention", "sliding_attention", "chunked_attention", "linear_attention":
		default:
			c.fail("layer_types: %q: want full_attention, sliding_attention, chunked_attention or linear_attention", t)
			return
		}
	}
}

// experts reads the routed experts; key is the family's own for their number,
// width holds the keys of their width.
func (c *hfConfig) experts(key string, width ...string) *moeSpec {
	return &moeSpec{
		Experts: c.size(maxWidth, append([]string{key}, expertKeys...)...),
		TopK:    c.size(maxWidth, topKKeys...),
		FFN:     c.size(maxWidth, width...),
		Groups:  c.opt(1, maxExpert, "n_group"), TopGroups: c.opt(1, maxExpert, "topk_group"),
	}
}

// denseLayers makes the listed layers dense.
func (c *hfConfig) denseLayers(s *modelSpec, key string) {
	only := map[int]bool{}
	for _, v := range c.list(-1, key) {
		only[c.integer(key, v, 0, maxLayers)] = true
	}
	if len(only) == 0 {
		return
	}
	s.also(func(i int, l *costmodel.Layer) {
		if only[i] {
			l.FFN = s.mlp(false)
		}
	})
}
