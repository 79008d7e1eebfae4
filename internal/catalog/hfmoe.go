package catalog

import "planner/costmodel"

// moeFamilies are mixtures of experts with ordinary attention.
var moeFamilies = []hfFamily{
	{name: "mixtral", types: []string{"mixtral"}, arch: []string{"MixtralForCausalLM"}, read: readMixtral},
	{name: "qwen2_moe", types: []string{"qwen2_moe"}, read: readQwen2MoE},
	{name: "qwen3_moe", types: []string{"qwen3_moe", "qwen3_vl_moe_text"}, arch: []string{"Qwen3MoeForCausalLM"}, read: readQwen3MoE},
	{name: "olmoe", types: []string{"olmoe"}, read: readOLMoE},
	{name: "gpt_oss", types: []string{"gpt_oss"}, arch: []string{"GptOssForCausalLM"}, read: readGPTOSS},
	{name: "llama4", types: []string{"llama4_text"}, read: readLlama4},
	{name: "dbrx", types: []string{"dbrx"}, read: readDBRX},
	{name: "grok-1", types: []string{"grok-1", "grok1", "grok"}, arch: []string{"Grok1ModelForCausalLM"}, borrows: true, tied: true, read: readGrok},
	{name: "glm4_moe", types: []string{"glm4_moe"}, read: readGLM4MoE},
	{name: "minimax_m2", types: []string{"minimax_m2"}, read: readMiniMaxM2},
	{name: "mimo_v2_flash", types: []string{"mimo_v2_flash"}, arch: []string{"MiMoV2FlashForCausalLM"}, read: readMiMoV2},
	{name: "step3p5", types: []string{"step3p5", "step3p7"}, read: readStep3},
}

func readMixtral(c *hfConfig, s *modelSpec) {
	s.MoE = c.experts("num_local_experts", "intermediate_size")
	c.windows(s, c.opt(0, maxSeqLen, "sliding_window"), 0)
}

// readQwen2MoE: a shared expert with a gate of its own.
func readQwen2MoE(c *hfConfig, s *modelSpec) {
	s.biases(c.flag(true, "qkv_bias"), false, false)
	s.MoE = c.experts("num_experts", expertWidthKeys...)
	s.MoE.Shared = c.size(maxWidth, "shared_expert_intermediate_size")
	s.MoE.SharedGate = true
	c.qwenSparse(s)
}

func readQwen3MoE(c *hfConfig, s *modelSpec) {
	s.QKNorm = "head"
	b := c.flag(false, "attention_bias")
	s.biases(b, b, false)
	if c.opt(0, maxWidth, expertKeys...) == 0 {
		return
	}
	s.MoE = c.experts("num_experts", expertWidthKeys...)
	c.qwenSparse(s)
}

// qwenSparse reads which layers have experts.
func (c *hfConfig) qwenSparse(s *modelSpec) {
	s.MoE.Every = max(1, c.opt(1, maxLayers, "decoder_sparse_step"))
	c.denseLayers(s, "mlp_only_layers")
}

func readOLMoE(c *hfConfig, s *modelSpec) {
	s.QKNorm = "full"
	b := c.flag(false, "attention_bias")
	s.biases(b, b, false)
	s.MoE = c.experts("num_experts", "intermediate_size")
}

// readGPTOSS: biases everywhere, a learned sink a head, every second layer
// local.
func readGPTOSS(c *hfConfig, s *modelSpec) {
	b := c.flag(true, "attention_bias")
	s.biases(b, b, false)
	s.Sinks = true
	s.MoE = c.experts("num_local_experts", "intermediate_size")
	s.MoE.Bias, s.MoE.RouterBias = true, true
	c.windows(s, c.opt(0, maxSeqLen, "sliding_window"), 2)
}

// readLlama4: one shared expert as wide as a routed one; dense layers between
// as wide as intermediate_size_mlp; chunked attention on all but each fourth
// layer, which has no rotary embedding.
func readLlama4(c *hfConfig, s *modelSpec) {
	b := c.flag(false, "attention_bias")
	s.biases(b, b, false)
	s.FFN = c.size(maxWidth, "intermediate_size_mlp", "intermediate_size")
	s.MoE = c.experts("num_local_experts", "intermediate_size")
	s.MoE.Shared = s.MoE.FFN
	s.MoE.Every = max(1, c.opt(1, maxLayers, "interleave_moe_layer_step"))
	s.Chunked = true
	c.windows(s, c.opt(8192, maxSeqLen, "attention_chunk_size"), c.opt(4, maxLayers, "no_rope_layer_interval"))
}

// readDBRX: sizes nested by part, LayerNorm without bias.
func readDBRX(c *hfConfig, s *modelSpec) {
	s.Norm = "layer-no-bias"
	attention, attentionDone := c.sub("attn_config")
	s.KVHeads = attention.size(maxWidth, "kv_n_heads")
	attentionDone()
	ffn, ffnDone := c.sub("ffn_config")
	s.MoE = ffn.experts("moe_num_experts", "ffn_hidden_size")
	ffnDone()
}

// readGrok: norms before and after attention and experts.
func readGrok(c *hfConfig, s *modelSpec) {
	s.LayerNorms = 4
	s.MoE = c.experts("num_experts", "moe_intermediate_size", "intermediate_size")
}

// readGLM4MoE (GLM-4.5): biases on q, k and v, a correction a router output.
func readGLM4MoE(c *hfConfig, s *modelSpec) {
	c.ffn(s)
	s.biases(c.flag(false, "attention_bias"), false, false)
	if c.flag(false, "use_qk_norm") {
		s.QKNorm = "head"
	}
	s.MoE = c.experts("n_routed_experts", expertWidthKeys...)
	s.MoE.Shared = c.opt(1, maxWidth, "n_shared_experts") * s.MoE.FFN
	s.MoE.FirstDense = c.opt(0, maxLayers, "first_k_dense_replace")
	s.MoE.RouterBias = true
}

func readMiniMaxM2(c *hfConfig, s *modelSpec) {
	if c.flag(true, "use_qk_norm") {
		s.QKNorm = "full"
	}
	s.MoE = c.experts("num_local_experts", "intermediate_size")
	s.MoE.RouterBias = c.flag(true, "use_routing_bias")
}

// readMiMoV2: local layers have K/V heads of their own, and sinks.
func readMiMoV2(c *hfConfig, s *modelSpec) {
	b := c.flag(false, "attention_bias")
	s.biases(b, false, false)
	c.ffn(s)
	s.MoE = c.experts("n_routed_experts", expertWidthKeys...)
	s.MoE.RouterBias = true
	full := attentionDims{s.Heads, s.KVHeads, s.headDim(), c.size(maxWidth, "v_head_dim")}
	local := attentionDims{
		c.opt(full.heads, maxWidth, "swa_num_attention_heads"), c.opt(full.kv, maxWidth, "swa_num_key_value_heads"),
		c.opt(full.qk, maxWidth, "swa_head_dim"), c.opt(full.v, maxWidth, "swa_v_head_dim"),
	}
	fullSinks, localSinks := c.flag(false, "add_full_attention_sink_bias"), c.flag(false, "add_swa_attention_sink_bias")
	window := c.size(maxSeqLen, "sliding_window", "sliding_window_size")
	isLocal, sparse := c.ints(s.Layers, "hybrid_layer_pattern"), c.ints(s.Layers, "moe_layer_freq")
	if isLocal == nil || sparse == nil {
		c.fail("no \"hybrid_layer_pattern\" or no \"moe_layer_freq\": want a list of 0 and 1, one a layer")
		return
	}
	s.also(func(i int, l *costmodel.Layer) {
		dims, sinks := full, fullSinks
		if isLocal[i] == 1 {
			dims, sinks, l.Mixer.Window = local, localSinks, window
		}
		dims.set(&l.Mixer, sinks)
		l.FFN = s.mlp(sparse[i] == 1)
	})
}

// attentionDims are the sizes of one kind of attention in a hybrid.
type attentionDims struct{ heads, kv, qk, v int }

func (d attentionDims) set(x *costmodel.Mixer, sinks bool) {
	x.Heads, x.KVHeads, x.HeadDim, x.VHeadDim = d.heads, d.kv, d.qk, d.v
	if sinks {
		x.Sinks = d.heads
	}
}

// readStep3 (Step 3.5 and 3.7 Flash): local layers have more heads, and each
// head a gate of h parameters; both are counted only when the file says so.
func readStep3(c *hfConfig, s *modelSpec) {
	c.ffn(s)
	s.QKNorm = "head"
	s.KVHeads = c.size(maxWidth, "num_attention_groups", "num_key_value_heads")
	s.MoE = c.experts("num_experts", expertWidthKeys...)
	s.MoE.Shared = c.size(maxWidth, "share_expert_dim")
	s.MoE.RouterBias = c.flag(false, "use_moe_router_bias")
	s.MoE.FirstDense = c.opt(0, maxLayers, "first_k_dense_replace")
	for _, k := range []string{"attention_other_setting", "use_head_wise_attn_gate"} {
		if c.raw[k] == nil {
			c.fail("no %q: the attention of the sliding layers cannot be counted without it", k)
		}
	}
	other, done := c.sub("attention_other_setting")
	heads := other.opt(s.Heads, maxWidth, "num_attention_heads")
	kv := other.opt(s.KVHeads, maxWidth, "num_attention_groups")
	done()
	types := c.strings(s.Layers, "layer_types")
	c.windows(s, c.opt(0, maxSeqLen, "sliding_window"), 0)
	gate := c.flag(false, "use_head_wise_attn_gate")
	s.also(func(i int, l *costmodel.Layer) {
		if types != nil && types[i] == "sliding_attention" {
			l.Mixer.Heads, l.Mixer.KVHeads = heads, kv
		}
		if gate {
			l.Mixer.HeadGate = true
		}
	})
}
