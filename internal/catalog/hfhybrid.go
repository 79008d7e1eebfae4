package catalog

import (
	"strings"

	"planner/costmodel"
)

// hybridFamilies mix attention with linear or state-space layers.
var hybridFamilies = []hfFamily{
	{name: "qwen3_next", types: []string{"qwen3_next", "qwen3_5_text", "qwen3_5_moe_text"},
		arch: []string{"Qwen3NextForCausalLM"}, read: readQwen3Next},
	{name: "nemotron_h", types: []string{"nemotron_h"}, arch: []string{"NemotronHForCausalLM"}, read: readNemotronH},
	{name: "minimax", types: []string{"minimax", "minimax_text_01", "minimax_m1"},
		arch: []string{"MiniMaxText01ForCausalLM", "MiniMaxM1ForCausalLM"}, read: readMiniMax},
}

// readQwen3Next (and Qwen3.5): three gated delta nets, then attention with an
// output gate.
func readQwen3Next(c *hfConfig, s *modelSpec) {
	b := c.flag(false, "attention_bias")
	s.biases(b, b, false)
	s.QKNorm, s.OutGate = "head", c.flag(true, "attn_output_gate")
	s.Linear = &linearSpec{
		KeyHeads:   c.size(maxWidth, "linear_num_key_heads"),
		ValueHeads: c.size(maxWidth, "linear_num_value_heads"),
		KeyDim:     c.size(maxWidth, "linear_key_head_dim"),
		ValueDim:   c.size(maxWidth, "linear_value_head_dim"),
		Conv:       c.size(maxWidth, "linear_conv_kernel_dim"),
	}
	s.FullEvery = max(1, c.opt(4, maxLayers, "full_attention_interval"))
	if types := c.strings(s.Layers, "layer_types"); types != nil {
		s.also(func(i int, l *costmodel.Layer) {
			l.Mixer = s.linear()
			if types[i] == "full_attention" {
				l.Mixer = s.attention(i)
			}
		})
	}
	if c.opt(0, maxWidth, expertKeys...) == 0 {
		c.ffn(s)
		return
	}
	s.MoE = c.experts("num_experts", expertWidthKeys...)
	s.MoE.Shared = c.size(maxWidth, "shared_expert_intermediate_size")
	s.MoE.SharedGate = true
	c.qwenSparse(s)
}

// nemotronLetters maps the names of layers_block_type to the letters of
// hybrid_override_pattern.
var nemotronLetters = map[string]string{"mamba": "M", "attention": "*", "mlp": "-", "moe": "E"}

// readNemotronH: each layer is one of Mamba-2, attention, MLP and experts,
// after one norm; experts may work in a narrower latent space.
func readNemotronH(c *hfConfig, s *modelSpec) {
	s.LayerNorms = 1
	s.plain()
	attention := c.flag(false, "attention_bias")
	s.biases(attention, attention, c.flag(false, "mlp_bias"))
	s.Mamba = &mambaSpec{
		Heads: c.size(maxWidth, "mamba_num_heads"), HeadDim: c.size(maxWidth, "mamba_head_dim"),
		State: c.size(maxWidth, "ssm_state_size"), Groups: c.size(maxWidth, "n_groups"),
		Conv: c.size(maxWidth, "conv_kernel"),
	}
	for _, k := range []string{"use_bias", "mamba_proj_bias"} {
		if c.flag(false, k) {
			c.fail("%s: is not counted: want false", k)
		}
	}
	conv := c.flag(true, "use_conv_bias")
	s.also(func(_ int, l *costmodel.Layer) { l.Mixer.ConvBias = conv && l.Mixer.Kind == costmodel.Mamba2 })
	s.Pattern = c.nemotronPattern(s.Layers)
	if strings.ContainsRune(s.Pattern, '*') && c.raw["head_dim"] == nil {
		s.HeadDim = c.opt(0, maxWidth, "attention_head_dim")
	}
	if strings.ContainsRune(s.Pattern, 'E') {
		s.MoE = c.experts("n_routed_experts", expertWidthKeys...)
		s.MoE.Shared = c.size(maxWidth, "moe_shared_expert_intermediate_size")
		s.MoE.Latent = c.opt(0, maxWidth, "moe_latent_size")
		s.MoE.RouterBias = true
	}
}

// nemotronPattern reads the kinds of the layers in either spelling.
func (c *hfConfig) nemotronPattern(layers int) string {
	var b strings.Builder
	for _, t := range c.strings(layers, "layers_block_type") {
		letter, ok := nemotronLetters[t]
		if !ok {
			c.fail("layers_block_type: %q: want mamba, attention, mlp or moe", t)
		}
		b.WriteString(letter)
	}
	if b.Len() > 0 {
		return b.String()
	}
	p := c.word("hybrid_override_pattern")
	if p == "" && c.raw["hybrid_override_pattern"] != nil && len(c.faults) > 0 {
		return ""
	}
	if len(p) != layers || strings.Trim(p, "M*-E") != "" {
		c.fail("hybrid_override_pattern %q: want %d letters of M, *, - and E", p, layers)
	}
	return p
}

// readMiniMax (MiniMax-Text-01, M1): lightning attention where the list of
// the layers' kinds does not say softmax; experts in every layer.
func readMiniMax(c *hfConfig, s *modelSpec) {
	s.MoE = c.experts("num_local_experts", "intermediate_size")
	c.noShared("shared_intermediate_size")
	softmax := c.ints(s.Layers, "attn_type_list")
	if softmax == nil {
		softmax = c.ints(s.Layers, "decoder_attention_types")
	}
	types := c.strings(s.Layers, "layer_types")
	if softmax == nil && types == nil {
		c.fail("no \"attn_type_list\" and no \"layer_types\": want the kind of each layer")
		return
	}
	s.also(func(i int, l *costmodel.Layer) {
		if softmax != nil && softmax[i] == 1 || types != nil && types[i] == "full_attention" {
			return
		}
		l.Mixer = s.lightning()
	})
}

// noShared refuses a width other than 0, given as a number or a list.
func (c *hfConfig) noShared(key string) {
	list, isList := c.raw[key].([]any)
	if !isList {
		list = []any{c.raw[key]}
	}
	for _, v := range list {
		if v != nil && c.integer(key, v, 0, maxWidth) > 0 {
			c.fail("%s %v: is not counted: want 0", key, v)
		}
	}
}
