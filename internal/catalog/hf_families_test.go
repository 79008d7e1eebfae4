package catalog

import (
	"slices"
	"strings"
	"testing"
)

// Configurations with the published sizes of families that no stored file
// covers, against the number of elements of the released checkpoints (as the
// hub shows it), tied heads once.
func TestParseHFFamilies(t *testing.T) {
	for _, tt := range []struct {
		name, config string
		want         int64
	}{
		{"gpt2", `{"model_type": "gpt2", "n_embd": 768, "n_layer": 12, "n_head": 12, "n_positions": 1024, "n_inner": null, "vocab_size": 50257}`, 124439808},
		{"gpt2-xl", `{"model_type": "gpt2", "n_embd": 1600, "n_layer": 48, "n_head": 25, "n_positions": 1024, "vocab_size": 50257}`, 1557611200},
		{"gpt-neo-2.7B", `{"model_type": "gpt_neo", "hidden_size": 2560, "num_layers": 32, "num_hidden_layers": 32, "num_heads": 20, "num_attention_heads": 20, "intermediate_size": null, "max_position_embeddings": 2048, "vocab_size": 50257, "window_size": 256}`, 2651307520},
		{"gpt-j-6b", `{"model_type": "gptj", "n_embd": 4096, "n_layer": 28, "n_head": 16, "n_positions": 2048, "vocab_size": 50400, "tie_word_embeddings": false}`, 6050882784},
		{"pythia-6.9b", `{"model_type": "gpt_neox", "hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32, "intermediate_size": 16384, "vocab_size": 50432, "use_parallel_residual": true, "tie_word_embeddings": false}`, 6857302016},
		{"opt-1.3b", `{"model_type": "opt", "hidden_size": 2048, "num_hidden_layers": 24, "num_attention_heads": 32, "ffn_dim": 8192, "max_position_embeddings": 2048, "word_embed_proj_dim": 2048, "vocab_size": 50272}`, 1315758080},
		{"bloom-7b1", `{"model_type": "bloom", "n_embed": 4096, "n_layer": 30, "num_attention_heads": 32, "vocab_size": 250880}`, 7069016064},
		{"bloom", `{"model_type": "bloom", "hidden_size": 14336, "n_layer": 70, "n_head": 112, "vocab_size": 250880, "seq_length": 2048}`, 176247271424},
		{"falcon-40b", `{"model_type": "falcon", "hidden_size": 8192, "num_hidden_layers": 60, "num_attention_heads": 128, "num_kv_heads": 8, "new_decoder_architecture": true, "parallel_attn": true, "bias": false, "vocab_size": 65024}`, 41303293952},
		{"mpt-7b", `{"model_type": "mpt", "d_model": 4096, "n_layers": 32, "n_heads": 32, "expansion_ratio": 4, "max_seq_len": 2048, "no_bias": true, "vocab_size": 50432, "attn_config": {"alibi": true, "attn_type": "multihead_attention", "qk_ln": false}}`, 6649286656},
		{"phi-2", `{"model_type": "phi", "hidden_size": 2560, "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 32, "intermediate_size": 10240, "vocab_size": 51200, "qk_layernorm": false, "tie_word_embeddings": false}`, 2779683840},
		{"phi-3-mini", `{"model_type": "phi3", "hidden_size": 3072, "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 32, "intermediate_size": 8192, "vocab_size": 32064, "sliding_window": 2047, "tie_word_embeddings": false}`, 3821079552},
		{"phi-4", `{"model_type": "phi3", "hidden_size": 5120, "num_hidden_layers": 40, "num_attention_heads": 40, "num_key_value_heads": 10, "intermediate_size": 17920, "vocab_size": 100352, "sliding_window": null, "tie_word_embeddings": false}`, 14659507200},
		{"olmo-7b", `{"model_type": "olmo", "hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32, "intermediate_size": 11008, "vocab_size": 50304, "tie_word_embeddings": false}`, 6888095744},
		{"olmo2-7b", `{"model_type": "olmo2", "hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32, "intermediate_size": 11008, "vocab_size": 100352, "tie_word_embeddings": false}`, 7298617344},
		{"olmoe", `{"model_type": "olmoe", "hidden_size": 2048, "num_hidden_layers": 16, "num_attention_heads": 16, "intermediate_size": 1024, "num_experts": 64, "num_experts_per_tok": 8, "vocab_size": 50304, "tie_word_embeddings": false}`, 6919161856},
		{"gemma-2b", `{"model_type": "gemma", "hidden_size": 2048, "num_hidden_layers": 18, "num_attention_heads": 8, "num_key_value_heads": 1, "intermediate_size": 16384, "vocab_size": 256000}`, 2506172416},
		{"gemma-2-9b", `{"model_type": "gemma2", "head_dim": 256, "hidden_size": 3584, "num_hidden_layers": 42, "num_attention_heads": 16, "num_key_value_heads": 8, "intermediate_size": 14336, "sliding_window": 4096, "vocab_size": 256000}`, 9241705984},
		{"gemma-2-27b", `{"model_type": "gemma2", "head_dim": 128, "hidden_size": 4608, "num_hidden_layers": 46, "num_attention_heads": 32, "num_key_value_heads": 16, "intermediate_size": 36864, "vocab_size": 256000}`, 27227128320},
		{"GLM-4-9B-0414", `{"model_type": "glm4", "attention_bias": true, "head_dim": 128, "hidden_size": 4096, "num_hidden_layers": 40, "num_attention_heads": 32, "num_key_value_heads": 2, "intermediate_size": 13696, "vocab_size": 151552}`, 9400279040},
		{"command-r-v01", `{"model_type": "cohere", "hidden_size": 8192, "num_hidden_layers": 40, "num_attention_heads": 64, "num_key_value_heads": 64, "intermediate_size": 22528, "vocab_size": 256000}`, 34980831232},
		{"starcoder2-15b", `{"model_type": "starcoder2", "hidden_size": 6144, "num_hidden_layers": 40, "num_attention_heads": 48, "num_key_value_heads": 4, "intermediate_size": 24576, "vocab_size": 49152, "use_bias": true, "tie_word_embeddings": false}`, 15957889024},
		{"qwen2.5-7b", `{"model_type": "qwen2", "hidden_size": 3584, "num_hidden_layers": 28, "num_attention_heads": 28, "num_key_value_heads": 4, "intermediate_size": 18944, "vocab_size": 152064, "use_sliding_window": false, "sliding_window": 131072, "max_window_layers": 28, "tie_word_embeddings": false}`, 7615616512},
		{"qwen1.5-moe", `{"model_type": "qwen2_moe", "hidden_size": 2048, "num_hidden_layers": 24, "num_attention_heads": 16, "num_key_value_heads": 16, "intermediate_size": 5632, "moe_intermediate_size": 1408, "shared_expert_intermediate_size": 5632, "num_experts": 60, "num_experts_per_tok": 4, "decoder_sparse_step": 1, "vocab_size": 151936}`, 14315784192},
		{"mistral-7b", `{"model_type": "mistral", "hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8, "intermediate_size": 14336, "sliding_window": 4096, "vocab_size": 32000}`, 7241732096},
		{"mixtral-8x22b", `{"model_type": "mixtral", "hidden_size": 6144, "num_hidden_layers": 56, "num_attention_heads": 48, "num_key_value_heads": 8, "intermediate_size": 16384, "num_local_experts": 8, "num_experts_per_tok": 2, "vocab_size": 32000}`, 140620634112},
		{"deepseek-v2-lite", `{"model_type": "deepseek_v2", "hidden_size": 2048, "num_hidden_layers": 27, "num_attention_heads": 16, "num_key_value_heads": 16, "intermediate_size": 10944, "moe_intermediate_size": 1408, "n_routed_experts": 64, "n_shared_experts": 2, "num_experts_per_tok": 6, "first_k_dense_replace": 1, "moe_layer_freq": 1, "q_lora_rank": null, "kv_lora_rank": 512, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128, "topk_method": "greedy", "scoring_func": "softmax", "vocab_size": 102400}`, 15706484224},
		{"deepseek-moe-16b", `{"model_type": "deepseek", "hidden_size": 2048, "num_hidden_layers": 28, "num_attention_heads": 16, "num_key_value_heads": 16, "intermediate_size": 10944, "moe_intermediate_size": 1408, "n_routed_experts": 64, "n_shared_experts": 2, "num_experts_per_tok": 6, "first_k_dense_replace": 1, "moe_layer_freq": 1, "vocab_size": 102400}`, 16375728128},
		{"dbrx", `{"model_type": "dbrx", "d_model": 6144, "n_layers": 40, "n_heads": 48, "max_seq_len": 32768, "vocab_size": 100352, "attn_config": {"kv_n_heads": 8, "clip_qkv": 8}, "ffn_config": {"ffn_hidden_size": 10752, "moe_num_experts": 16, "moe_top_k": 4}}`, 131596523520},
		{"nemotron-h-8b", `{"model_type": "nemotron_h", "hidden_size": 4096, "num_hidden_layers": 52, "num_attention_heads": 32, "num_key_value_heads": 8, "head_dim": 128, "intermediate_size": 21504, "mamba_num_heads": 128, "mamba_head_dim": 64, "ssm_state_size": 128, "n_groups": 8, "conv_kernel": 4, "vocab_size": 131072, "hybrid_override_pattern": "M-M-M-M*-M-M-M-M-M*-M-M-M-M-M*-M-M-M-M-M*-M-M-M-M-M-"}`, 8100852736},
	} {
		m, err := ParseHF(tt.name, []byte(tt.config))
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		if got := m.Parameters(); got != tt.want {
			t.Errorf("%s: parameters = %d, want %d", tt.name, got, tt.want)
		}
	}
}

// A configuration that borrows a relative's model_type is read as what its
// architecture says: Grok-1 is no Mixtral (it has twice the norms and ties).
func TestParseHFArchitectureWins(t *testing.T) {
	m, err := ParseHF("config.json", []byte(`{"architectures": ["Grok1ModelForCausalLM"], "model_type": "mixtral",
		"hidden_size": 6144, "intermediate_size": 32768, "num_experts_per_tok": 2, "num_local_experts": 8, "num_attention_heads": 48,
		"num_hidden_layers": 64, "num_key_value_heads": 8, "head_dim": 128, "vocab_size": 131072}`))
	if err != nil {
		t.Fatal(err)
	}
	grok, err := Model("grok-1")
	if err != nil {
		t.Fatal(err)
	}
	if m.Parameters() != grok.Parameters() {
		t.Errorf("parameters = %d, want Grok-1's %d", m.Parameters(), grok.Parameters())
	}
}

// A Mixtral whose architecture says Llama is a Mixtral (of 140,620,634,112
// parameters, as released) and says so; a file that agrees has no note.
func TestParseHFModelTypeWins(t *testing.T) {
	const sizes = `"model_type": "mixtral", "hidden_size": 6144, "num_hidden_layers": 56, "num_attention_heads": 48, "num_key_value_heads": 8, "intermediate_size": 16384, "num_local_experts": 8, "num_experts_per_tok": 2, "vocab_size": 32000}`
	for arch, want := range map[string][]string{
		"LlamaForCausalLM":   {"architectures names LlamaForCausalLM, model_type mixtral: read as mixtral"},
		"MixtralForCausalLM": nil,
		"OursForCausalLM":    nil,
	} {
		m, err := ParseHF("config.json", []byte(`{"architectures": ["`+arch+`"], `+sizes))
		if err != nil {
			t.Fatal(err)
		}
		if m.Parameters() != 140620634112 || !slices.Equal(m.Notes, want) {
			t.Errorf("%s: %d parameters, notes %q, want %q", arch, m.Parameters(), m.Notes, want)
		}
	}
}

// A missing number of experts is asked for by the family's own key.
func TestParseHFExpertKeys(t *testing.T) {
	for kind, key := range map[string]string{"mixtral": "num_local_experts", "olmoe": "num_experts", "glm4_moe": "n_routed_experts", "gpt_oss": "num_local_experts"} {
		_, err := ParseHF("c.json", []byte(`{"model_type": "`+kind+`", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64, "vocab_size": 100}`))
		if err == nil || !strings.Contains(err.Error(), `c.json: no "`+key+`": want an integer`) {
			t.Errorf("%s: %v, want %q named", kind, err, key)
		}
	}
}
