package catalog

import "planner/costmodel"

// gptFamilies are dense decoders with LayerNorm and a plain MLP, and their
// near relatives, as in each family's modeling file of Hugging Face
// transformers.
var gptFamilies = []hfFamily{
	{name: "gpt2", types: []string{"gpt2", "gpt_bigcode"}, tied: true, read: readGPT2},
	{name: "gpt_neo", types: []string{"gpt_neo"}, tied: true, read: readGPTNeo},
	{name: "gptj", types: []string{"gptj"}, read: readGPTJ},
	{name: "gpt_neox", types: []string{"gpt_neox"}, arch: []string{"GPTNeoXForCausalLM"}, read: readGPTNeoX},
	{name: "falcon", types: []string{"falcon", "RefinedWeb", "RefinedWebModel"}, tied: true, read: readFalcon},
	{name: "opt", types: []string{"opt"}, tied: true, read: readOPT},
	{name: "bloom", types: []string{"bloom"}, tied: true, read: readBLOOM},
	{name: "mpt", types: []string{"mpt"}, tied: true, read: readMPT},
	{name: "phi", types: []string{"phi"}, arch: []string{"PhiForCausalLM"}, read: readPhi},
	{name: "starcoder2", types: []string{"starcoder2"}, tied: true, read: readStarCoder2},
	{name: "cohere", types: []string{"cohere", "cohere2"}, tied: true, read: readCohere},
}

// gpt sets GPT-2's style without learned positions; the MLP is four times the
// hidden size where the file leaves it out.
func (s *modelSpec) gpt() {
	s.Style = "gpt"
	s.positions(0)
	if s.FFN == 0 {
		s.FFN = 4 * s.Hidden
	}
}

func readGPT2(c *hfConfig, s *modelSpec) {
	s.gpt()
	s.positions(s.SeqLen)
	if c.flag(false, "multi_query") {
		s.KVHeads = 1
	}
}

// readGPTNeo: q, k and v without bias; every second layer is local.
func readGPTNeo(c *hfConfig, s *modelSpec) {
	s.gpt()
	s.positions(s.SeqLen)
	s.biases(false, true, true)
	types := c.strings(s.Layers, "attention_layers")
	window := c.opt(256, maxSeqLen, "window_size")
	if types == nil {
		s.also(func(i int, l *costmodel.Layer) {
			if i%2 == 1 {
				l.Mixer.Window = window
			}
		})
		return
	}
	s.also(func(i int, l *costmodel.Layer) {
		if types[i] == "local" {
			l.Mixer.Window = window
		}
	})
}

// readGPTJ: one norm before parallel attention and MLP; no biases in attention.
func readGPTJ(c *hfConfig, s *modelSpec) {
	s.gpt()
	s.Parallel, s.LayerNorms, s.HeadBias = true, 1, true
	s.biases(false, false, true)
}

func readGPTNeoX(c *hfConfig, s *modelSpec) {
	s.gpt()
	s.Parallel = c.flag(true, "use_parallel_residual")
	b := c.flag(true, "attention_bias")
	s.biases(b, b, true)
}

// readFalcon: 7B has one K/V head and one norm, 40B and 180B ("new decoder
// architecture") grouped K/V heads and two norms, the first ones full heads.
func readFalcon(c *hfConfig, s *modelSpec) {
	s.gpt()
	b := c.flag(false, "bias")
	s.biases(b, b, b)
	grouped := c.flag(false, "new_decoder_architecture")
	s.Parallel = grouped || c.flag(true, "parallel_attn")
	switch {
	case grouped:
		s.LayerNorms = c.opt(2, 2, "num_ln_in_parallel_attn")
	case c.flag(true, "multi_query"):
		s.KVHeads = 1
	default:
		s.KVHeads = s.Heads
	}
	if s.Parallel && !grouped {
		s.LayerNorms = 1
	}
	if s.SeqLen == 0 {
		s.SeqLen = 2048 // FalconConfig's default
	}
}

// readOPT: positions start at 2, so two more are stored.
func readOPT(c *hfConfig, s *modelSpec) {
	s.gpt()
	s.positions(s.SeqLen + 2)
	b := c.flag(true, "enable_bias")
	s.biases(b, b, b)
	if w := c.opt(s.Hidden, maxWidth, "word_embed_proj_dim"); w != s.Hidden {
		c.fail("word_embed_proj_dim %d: projections around the embedding are not counted: want hidden_size, %d", w, s.Hidden)
	}
	if !c.flag(true, "do_layer_norm_before") {
		c.fail("do_layer_norm_before false: post-norm models are not counted: want true")
	}
}

func readBLOOM(c *hfConfig, s *modelSpec) {
	s.gpt()
	s.EmbedNorm = true
	s.SeqLen = c.opt(2048, maxSeqLen, "seq_length") // ALiBi; trained at 2048
}

// readMPT: ALiBi or learned positions; norms without bias unless no_bias is
// false.
func readMPT(c *hfConfig, s *modelSpec) {
	s.gpt()
	s.FFN = c.opt(4, 64, "expansion_ratio") * s.Hidden
	attention, done := c.sub("attn_config")
	if kv := attention.opt(0, maxWidth, "kv_n_heads"); kv > 0 {
		s.KVHeads = kv
	}
	if attention.flag(false, "qk_ln") {
		attention.fail("attn_config.qk_ln: is not counted: want false")
	}
	if c.flag(true, "learned_pos_emb") && !attention.flag(false, "alibi") {
		s.positions(s.SeqLen)
	}
	done()
	if c.flag(true, "no_bias") {
		s.Norm = "layer-no-bias"
		s.biases(false, false, false)
	}
}

// readPhi (Phi-1, 1.5, 2): one norm before parallel attention and MLP.
func readPhi(c *hfConfig, s *modelSpec) {
	s.gpt()
	s.Parallel, s.LayerNorms, s.HeadBias = true, 1, true
	if c.flag(false, "qk_layernorm") {
		c.fail("qk_layernorm: is not counted: want false")
	}
}

func readStarCoder2(c *hfConfig, s *modelSpec) {
	s.gpt()
	b := c.flag(true, "use_bias")
	s.biases(b, b, b)
	c.windows(s, c.opt(0, maxSeqLen, "sliding_window"), 0)
}

// readCohere (Command R): one norm without bias before parallel attention and
// a gated MLP.
func readCohere(c *hfConfig, s *modelSpec) {
	c.ffn(s)
	s.Norm, s.Parallel, s.LayerNorms = "layer-no-bias", true, 1
	b := c.flag(false, "attention_bias")
	s.biases(b, b, false)
	if c.flag(false, "use_qk_norm") {
		s.also(func(_ int, l *costmodel.Layer) { l.Mixer.QKNorm = (s.Heads + s.KVHeads) * s.HeadDim })
	}
	if c.raw["model_type"] == "cohere2" {
		c.windows(s, c.opt(0, maxSeqLen, "sliding_window"), c.opt(4, maxLayers, "sliding_window_pattern"))
	}
}
