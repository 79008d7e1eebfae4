package catalog

import "planner/costmodel"

// mlaFamilies are the DeepSeek line and what follows its design: multi-head
// latent attention and fine-grained experts with shared ones beside them.
var mlaFamilies = []hfFamily{
	{name: "deepseek", types: []string{"deepseek"}, read: readDeepSeek},
	{name: "deepseek_v2", types: []string{"deepseek_v2"}, arch: []string{"DeepseekV2ForCausalLM"}, read: readMLA},
	{name: "deepseek_v3", types: []string{"deepseek_v3", "kimi_k2"}, arch: []string{"DeepseekV3ForCausalLM"}, read: readMLA},
	{name: "deepseek_v32", types: []string{"deepseek_v32", "glm_moe_dsa"}, read: readSparseMLA},
}

// readDeepSeek (DeepSeekMoE 16B): ordinary attention.
func readDeepSeek(c *hfConfig, s *modelSpec) {
	c.ffn(s)
	b := c.flag(false, "attention_bias")
	s.biases(b, b, false)
	c.sharedExperts(s)
}

// sharedExperts reads routed experts with shared ones as wide each, after
// dense layers at the start.
func (c *hfConfig) sharedExperts(s *modelSpec) {
	if c.opt(0, maxWidth, "n_routed_experts") == 0 {
		return
	}
	s.MoE = c.experts("n_routed_experts", expertWidthKeys...)
	s.MoE.Shared = c.opt(0, maxWidth, "n_shared_experts") * s.MoE.FFN
	s.MoE.FirstDense = c.opt(0, maxLayers, "first_k_dense_replace")
	s.MoE.RouterBias = c.word("topk_method") == "noaux_tc" || c.word("scoring_func") == "sigmoid"
	if n := c.opt(1, maxLayers, "moe_layer_freq"); n != 1 {
		c.fail("moe_layer_freq %d: is not counted: want 1", n)
	}
}

func readMLA(c *hfConfig, s *modelSpec) {
	c.ffn(s)
	b := c.flag(false, "attention_bias")
	s.biases(b, b, false)
	s.MLA = &mlaSpec{
		QRank:  c.opt(0, maxWidth, "q_lora_rank"),
		KVRank: c.size(maxWidth, "kv_lora_rank"),
		NoPE:   c.size(maxWidth, "qk_nope_head_dim"),
		RoPE:   c.size(maxWidth, "qk_rope_head_dim"),
		V:      c.size(maxWidth, "v_head_dim"),
	}
	s.HeadDim = s.MLA.NoPE + s.MLA.RoPE
	c.sharedExperts(s)
}

// readSparseMLA adds the indexer of DeepSeek V3.2, which GLM-5.2 keeps on
// some layers only.
func readSparseMLA(c *hfConfig, s *modelSpec) {
	readMLA(c, s)
	s.MLA.IndexHeads = c.size(maxWidth, "index_n_heads")
	s.MLA.IndexDim = c.size(maxWidth, "index_head_dim")
	s.MLA.IndexTopK = c.size(maxSeqLen, "index_topk")
	types := c.strings(s.Layers, "indexer_types")
	if types == nil && c.opt(1, maxLayers, "index_topk_freq") != 1 {
		c.fail("no \"indexer_types\": want \"full\" or \"shared\", one a layer")
	}
	s.also(func(i int, l *costmodel.Layer) {
		if types != nil && types[i] == "shared" {
			l.Mixer.IndexHeads, l.Mixer.IndexDim = 0, 0
		}
	})
}
