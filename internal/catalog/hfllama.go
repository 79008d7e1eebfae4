package catalog

import (
	"math"

	"planner/costmodel"
)

// llamaFamilies are dense decoders with RMSNorm and a gated MLP, and their
// near relatives. Biases and norms are as in each family's modeling file of
// Hugging Face transformers.
var llamaFamilies = []hfFamily{
	{name: "llama", types: []string{"llama", "mllama_text_model"}, arch: []string{"LlamaForCausalLM"}, read: readLlama},
	{name: "mistral", types: []string{"mistral", "ministral"}, arch: []string{"MistralForCausalLM"}, read: readMistral},
	{name: "qwen2", types: []string{"qwen2", "qwen2_vl", "qwen2_vl_text", "qwen2_5_vl", "qwen2_5_vl_text", "mimo"},
		arch: []string{"Qwen2ForCausalLM"}, read: readQwen2},
	{name: "qwen3", types: []string{"qwen3", "qwen3_vl_text"}, arch: []string{"Qwen3ForCausalLM"}, read: readQwen3},
	{name: "phi3", types: []string{"phi3"}, arch: []string{"Phi3ForCausalLM"}, read: readPhi3},
	{name: "olmo", types: []string{"olmo"}, read: readOLMo},
	{name: "olmo2", types: []string{"olmo2", "olmo3"}, read: readOLMo2},
	{name: "glm", types: []string{"glm", "glm4"}, read: readGLM},
	{name: "nemotron", types: []string{"nemotron"}, read: readNemotron},
	{name: "nemotron-nas", types: []string{"nemotron-nas"}, arch: []string{"DeciLMForCausalLM"}, read: readNemotronNAS},
}

func readLlama(c *hfConfig, s *modelSpec) {
	c.ffn(s)
	attention := c.flag(false, "attention_bias")
	s.biases(attention, attention, c.flag(false, "mlp_bias"))
}

func readMistral(c *hfConfig, s *modelSpec) {
	c.ffn(s)
	c.windows(s, c.opt(0, maxSeqLen, "sliding_window"), 0)
}

// readQwen2: q, k and v have biases, the output has none. Layers from
// max_window_layers on have the window, where it is used at all.
func readQwen2(c *hfConfig, s *modelSpec) {
	c.ffn(s)
	s.biases(true, false, false)
	from := c.opt(0, maxLayers, "max_window_layers")
	if window := c.opt(0, maxSeqLen, "sliding_window"); c.flag(false, "use_sliding_window") && window > 0 {
		s.also(func(i int, l *costmodel.Layer) {
			if i >= from {
				l.Mixer.Window = window
			}
		})
	}
}

func readQwen3(c *hfConfig, s *modelSpec) {
	c.ffn(s)
	s.QKNorm = "head"
	b := c.flag(false, "attention_bias")
	s.biases(b, b, false)
}

func readPhi3(c *hfConfig, s *modelSpec) {
	c.ffn(s)
	c.windows(s, c.opt(0, maxSeqLen, "sliding_window"), 0)
}

// readOLMo: LayerNorm without parameters.
func readOLMo(c *hfConfig, s *modelSpec) {
	c.ffn(s)
	s.Norm = "none"
	b := c.flag(false, "attention_bias")
	s.biases(b, b, false)
}

// readOLMo2: norms over all of q and of k.
func readOLMo2(c *hfConfig, s *modelSpec) {
	c.ffn(s)
	s.QKNorm = "full"
	b := c.flag(false, "attention_bias")
	s.biases(b, b, false)
	c.windows(s, c.opt(0, maxSeqLen, "sliding_window"), 4)
}

// readGLM: biases on q, k and v; GLM-4-0414 norms the outputs as well.
func readGLM(c *hfConfig, s *modelSpec) {
	c.ffn(s)
	s.biases(c.flag(false, "attention_bias"), false, false)
	if c.raw["model_type"] == "glm4" {
		s.LayerNorms = 4
	}
}

// readNemotron (Nemotron-4): LayerNorm with bias, a plain MLP (squared ReLU).
func readNemotron(c *hfConfig, s *modelSpec) {
	c.ffn(s)
	s.Norm = "layer"
	s.plain()
	b := c.flag(false, "attention_bias")
	s.biases(b, b, c.flag(false, "mlp_bias"))
}

// readNemotronNAS reads the list of blocks that a search left: each has its
// own number of query heads per K/V head and its own MLP width, either of them
// possibly absent. The width is 2·ffn_mult·h/3, rounded up to 256.
func readNemotronNAS(c *hfConfig, s *modelSpec) {
	blocks := c.list(s.Layers, "block_configs")
	if blocks == nil {
		c.fail("no \"block_configs\": want the attention and the MLP of each layer")
		return
	}
	s.KVHeads, s.FFN = s.Heads, 0
	layers := make([]costmodel.Layer, len(blocks))
	s.setDefaults()
	for i, b := range blocks {
		block := &hfConfig{file: c.file, raw: map[string]any{"block": b}}
		block, done := block.sub("block")
		layers[i] = nasBlock(block, s)
		done()
		c.faults = append(c.faults, block.faults...)
	}
	s.also(func(i int, l *costmodel.Layer) { *l = layers[i] })
}

func nasBlock(c *hfConfig, s *modelSpec) costmodel.Layer {
	var l costmodel.Layer
	attention, attentionDone := c.sub("attention")
	if attention.flag(false, "replace_with_linear") {
		attention.fail("block_configs: replace_with_linear: is not counted: want attention or no_op")
	}
	if !attention.flag(false, "no_op") {
		l.Mixer = s.attention(0)
		l.Mixer.KVHeads = max(1, s.Heads/max(1, attention.size(maxWidth, "n_heads_in_group")))
		l.Mixer.Window = attention.opt(0, maxSeqLen, "window_length")
		l.Norms++
	}
	attentionDone()
	ffn, ffnDone := c.sub("ffn")
	if ffn.flag(false, "replace_with_linear") {
		ffn.fail("block_configs: replace_with_linear: is not counted: want ffn_mult or no_op")
	}
	if !ffn.flag(false, "no_op") {
		l.FFN = s.mlp(false)
		l.FFN.Width = nasWidth(ffn.float(0, "ffn_mult"), s.Hidden)
		if l.FFN.Width < 1 || l.FFN.Width > maxWidth {
			ffn.fail("block_configs: ffn_mult: gives an MLP of %d: want 1 to %s", l.FFN.Width, group(maxWidth))
		}
		l.Norms++
	}
	ffnDone()
	l.NormParams = l.Norms * s.Hidden
	return l
}

func nasWidth(mult float64, hidden int) int {
	w := math.Trunc(2 * mult * float64(hidden) / 3)
	if !(w >= 0 && w <= maxWidth) {
		return -1
	}
	return (int(w) + 255) / 256 * 256
}
