package catalog

import "planner/costmodel"

// gemmaFamilies tie their embeddings whether the file says so or not. The
// defaults are those of the families' configuration classes in Hugging Face
// transformers: published files leave them out.
var gemmaFamilies = []hfFamily{
	{name: "gemma", types: []string{"gemma"}, tied: true, read: readGemma,
		defaults: map[string]int{"head_dim": 256}},
	{name: "gemma2", types: []string{"gemma2"}, tied: true, read: readGemma2,
		defaults: map[string]int{"head_dim": 256, "sliding_window": 4096}},
	{name: "gemma3", types: []string{"gemma3_text"}, tied: true, read: readGemma3,
		defaults: map[string]int{
			"head_dim": 256, "num_attention_heads": 8, "num_key_value_heads": 4,
			"vocab_size": 262208, "max_position_embeddings": 131072, "sliding_window": 4096,
		}},
	{name: "gemma4", types: []string{"gemma4_text"}, tied: true, read: readGemma4,
		defaults: map[string]int{"head_dim": 256, "sliding_window": 512}},
}

func readGemma(c *hfConfig, s *modelSpec) {
	c.ffn(s)
	b := c.flag(false, "attention_bias")
	s.biases(b, b, false)
}

// readGemma2: norms before and after attention and MLP; every second layer is
// local.
func readGemma2(c *hfConfig, s *modelSpec) {
	readGemma(c, s)
	s.LayerNorms = 4
	c.windows(s, c.opt(0, maxSeqLen, "sliding_window"), 2)
}

// readGemma3: five local layers, then one that sees all; norms on q and k.
func readGemma3(c *hfConfig, s *modelSpec) {
	readGemma(c, s)
	s.LayerNorms, s.QKNorm = 4, "head"
	every := c.opt(6, maxLayers, "sliding_window_pattern", "_sliding_window_pattern")
	c.windows(s, c.opt(0, maxSeqLen, "sliding_window"), every)
}

// readGemma4: layers that see all have wider heads, fewer K/V heads and may
// share keys and values. With experts a layer also keeps its dense MLP (as a
// shared expert of intermediate_size), three more norms, and a router with a
// scale per input and per expert.
func readGemma4(c *hfConfig, s *modelSpec) {
	readGemma3(c, s)
	for _, k := range []string{"hidden_size_per_layer_input", "num_kv_shared_layers"} {
		if n := c.opt(0, maxWidth, k); n > 0 {
			c.fail("%s %d: is not counted: want 0", k, n)
		}
	}
	types := c.strings(s.Layers, "layer_types")
	dim := c.opt(s.headDim(), maxWidth, "global_head_dim")
	kv := c.opt(s.KVHeads, maxWidth, "num_global_key_value_heads")
	same := c.flag(false, "attention_k_eq_v")
	s.also(func(i int, l *costmodel.Layer) {
		if types != nil && types[i] != "full_attention" || types == nil && l.Mixer.Window > 0 {
			return
		}
		l.Mixer.HeadDim, l.Mixer.VHeadDim, l.Mixer.QKNorm = dim, dim, 2*dim
		if same {
			l.Mixer.KVHeads, l.Mixer.SharedKV = kv, true
		}
	})
	if !c.flag(false, "enable_moe_block") {
		return
	}
	s.MoE = c.experts("num_experts", expertWidthKeys...)
	s.MoE.Shared = s.FFN
	s.LayerNorms = 7
	s.also(func(_ int, l *costmodel.Layer) { l.FFN.RouterBias = s.Hidden + l.FFN.Experts })
}
