package catalog

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"
)

// llamaWith is a good configuration with one key changed.
func llamaWith(key, value string) string {
	base := map[string]string{
		"model_type": `"llama"`, "hidden_size": "4096", "num_hidden_layers": "32", "num_attention_heads": "32",
		"num_key_value_heads": "8", "intermediate_size": "14336", "vocab_size": "128256",
	}
	base[key] = value
	var b strings.Builder
	for k, v := range base {
		if v != "" {
			b.WriteString(`, "` + k + `": ` + v)
		}
	}
	return "{" + b.String()[2:] + "}"
}

func TestParseHFErrors(t *testing.T) {
	for _, tt := range []struct{ name, config, want string }{
		{"empty", "", "config.json: empty"},
		{"blank", " \n\t", "config.json: empty"},
		{"binary", "PK\x03\x04\x00\x00", "config.json: not a text file"},
		{"latin1", "{\"a\": \"\xe9\"}", "config.json: not a text file"},
		{"cut", "{\n  \"model_type\": \"llama\",\n  \"vocab", "config.json:3:9: unexpected end of JSON: the file seems cut off"},
		{"cut at brace", "{", "config.json:1:2: unexpected end of JSON"},
		{"NaN", "{\n\"hidden_size\": NaN}", "config.json:2:16: not valid JSON"},
		{"comma", "{\"a\": 1,}", "config.json:1:9: not valid JSON"},
		{"two", "{} {}", "text after the end"},
		{"list", "[1]", "is no JSON object"},
		{"no keys", "{}", `no "hidden_size", "num_hidden_layers", "num_attention_heads": not a Hugging Face config`},
		{"zero", llamaWith("hidden_size", "0"), "hidden_size 0: too small: want 1 to 1,048,576"},
		{"negative", llamaWith("num_hidden_layers", "-3"), "num_hidden_layers -3: too small: want 1 to 10,000"},
		{"huge", llamaWith("vocab_size", "1e99"), "vocab_size 1e99: too large"},
		{"overflow", llamaWith("hidden_size", "9223372036854775808"), "hidden_size 9223372036854775808: too large"},
		{"infinite", llamaWith("hidden_size", "1e999"), "hidden_size 1e999: too large"},
		{"fraction", llamaWith("hidden_size", "4096.5"), "hidden_size 4096.5: not an integer"},
		{"string", llamaWith("hidden_size", `"4096"`), `hidden_size: is the string "4096": want an integer`},
		{"bool", llamaWith("vocab_size", "true"), "vocab_size: is the boolean true"},
		{"list size", llamaWith("hidden_size", "[1,2]"), "hidden_size: is a list"},
		{"no vocabulary", llamaWith("vocab_size", ""), `no "vocab_size"`},
		{"no MLP", llamaWith("intermediate_size", ""), `no "intermediate_size"`},
		{"K/V heads", llamaWith("num_key_value_heads", "7"), "kv_heads 7: does not divide 32 heads"},
		{"heads", llamaWith("num_attention_heads", "30"), "hidden 4096: not a multiple of 30 heads"},
		{"tie", llamaWith("tie_word_embeddings", `"yes"`), `tie_word_embeddings: is the string "yes": want true or false`},
		{"near family", llamaWith("model_type", `"lama"`), `model_type "lama": unknown family: did you mean "llama"?`},
		{"far family", llamaWith("model_type", `"zzzzzzzz"`), `model_type "zzzzzzzz": unknown family`},
		{"no family", llamaWith("model_type", ""), "cannot tell the family"},
		{"encoder", llamaWith("model_type", `"bert"`), "encoder models are not planned"},
		{"too many parameters", `{"model_type": "mixtral", "hidden_size": 1048576, "num_hidden_layers": 10000, "num_attention_heads": 8, "head_dim": 8,
			"intermediate_size": 1048576, "num_local_experts": 65536, "num_experts_per_tok": 2, "vocab_size": 1}`, "too many: want at most 1e+16"},
		{"no blocks", llamaWith("model_type", `"nemotron-nas"`), `no "block_configs"`},
		{"layer list", `{"model_type": "gpt_oss", "hidden_size": 64, "num_hidden_layers": 3, "num_attention_heads": 8, "intermediate_size": 64,
			"num_local_experts": 4, "num_experts_per_tok": 2, "vocab_size": 100, "layer_types": ["full_attention"]}`, "layer_types: has 1 entries: want 3"},
		{"layer word", `{"model_type": "gpt_oss", "hidden_size": 64, "num_hidden_layers": 1, "num_attention_heads": 8, "intermediate_size": 64,
			"num_local_experts": 4, "num_experts_per_tok": 2, "vocab_size": 100, "layer_types": ["half_attention"]}`, `layer_types: "half_attention"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := ParseHF("config.json", []byte(tt.config))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("error %v, want one with %q", err, tt.want)
			}
			checkFault(t, err)
		})
	}
}

// checkFault checks the form of an error: an *Error of clean lines.
func checkFault(t *testing.T, err error) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) || len(e.Faults) == 0 {
		t.Fatalf("error %v is no *Error with faults", err)
	}
	for _, f := range e.Faults {
		if strings.ContainsAny(f, "\n\r") || f == "" || !utf8.ValidString(f) {
			t.Errorf("fault %q is not one line of text", f)
		}
	}
}

// FuzzParseHF: no input panics; what is accepted has counts that make sense.
func FuzzParseHF(f *testing.F) {
	f.Add([]byte(llamaWith("rope_theta", "1e4")))
	f.Add([]byte(`{"model_type": "deepseek_v3", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64, "vocab_size": 9, "kv_lora_rank": 8, "qk_nope_head_dim": 4, "qk_rope_head_dim": 4, "v_head_dim": 4, "n_routed_experts": 4, "n_shared_experts": 1, "moe_intermediate_size": 8, "num_experts_per_tok": 2}`))
	f.Add([]byte(`{"model_type": "nemotron_h", "hidden_size": 64, "num_hidden_layers": 4, "num_attention_heads": 2, "intermediate_size": 64, "vocab_size": 9, "mamba_num_heads": 4, "mamba_head_dim": 4, "ssm_state_size": 4, "n_groups": 2, "conv_kernel": 4, "hybrid_override_pattern": "M-M*"}`))
	f.Add([]byte(`{"model_type": "nemotron-nas", "hidden_size": 64, "num_hidden_layers": 1, "num_attention_heads": 8, "vocab_size": 9, "block_configs": [{"attention": {"no_op": true}, "ffn": {"ffn_mult": 1.5}}]}`))
	f.Add([]byte(llamaWith("model_type", `["llama"], "architectures": ["LlamaForCausalLM"]`)))
	f.Add([]byte(llamaWith("text_config", `{"model_type": {}, "hidden_size": [1], "architectures": [[1]]}, "scoring_func": []`)))
	f.Add([]byte(`{"text_config": {"model_type": "gemma3_text", "hidden_size": 64, "intermediate_size": 64, "num_hidden_layers": 6}, "model_type": "gemma3"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := ParseHF("config.json", data)
		if err != nil {
			checkFault(t, err)
			return
		}
		total, active := m.Parameters(), m.ActiveParameters()
		flops, attention := m.FLOPsPerToken(4096)
		if total <= 0 || active <= 0 || active > total || attention < 0 || flops < attention {
			t.Errorf("total %d, active %d, FLOPs %g, attention %g", total, active, float64(flops), float64(attention))
		}
	})
}

// A key that is read twice is faulted once, by the stricter reading.
func TestHFFaultsOnce(t *testing.T) {
	_, err := ParseHF("c.json", []byte(llamaWith("intermediate_size", "-5")))
	if want := "c.json: intermediate_size -5: too small: want 1 to 1,048,576"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

// A value of another type is one fault that names its key, whether or not
// another key tells the family.
func TestHFWrongKinds(t *testing.T) {
	named := `, "architectures": ["LlamaForCausalLM"]`
	for _, tt := range []struct{ config, want string }{
		{llamaWith("model_type", `["llama"]`), "c.json: model_type: is a list: want a string"},
		{llamaWith("model_type", `["llama"]`+named), "c.json: model_type: is a list: want a string"},
		{llamaWith("model_type", `{}`+named), "c.json: model_type: is an object: want a string"},
		{llamaWith("model_type", `7`+named), "c.json: model_type: is the number 7: want a string"},
		{llamaWith("architectures", `"LlamaForCausalLM"`), `c.json: architectures: is the string "LlamaForCausalLM": want a list of strings`},
		{llamaWith("architectures", `[{}]`), "c.json: architectures: holds an object: want strings"},
		{llamaWith("text_config", `[1]`), "c.json: text_config: is a list: want an object"},
		{`{"model_type": "deepseek_v3", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64, "vocab_size": 9, "kv_lora_rank": 8, "qk_nope_head_dim": 4, "qk_rope_head_dim": 4, "v_head_dim": 4, "n_routed_experts": 4, "n_shared_experts": 1, "moe_intermediate_size": 8, "num_experts_per_tok": 2, "topk_method": [1]}`,
			"c.json: topk_method: is a list: want a string"},
		{`{"model_type": "mpt", "d_model": 64, "n_layers": 2, "n_heads": 2, "vocab_size": 9, "attn_config": [1]}`, "c.json: attn_config: is a list: want an object"},
	} {
		if _, err := ParseHF("c.json", []byte(tt.config)); err == nil || err.Error() != tt.want {
			t.Errorf("error %v, want %s", err, tt.want)
		}
	}
}

// What follows from a wrong size is no fault of its own.
func TestHFFaultsThatFollow(t *testing.T) {
	for _, tt := range []struct{ config, want string }{
		{`{"model_type": "gpt_oss", "hidden_size": 64, "num_hidden_layers": -5, "num_attention_heads": 8, "intermediate_size": 64,
			"num_local_experts": 4, "num_experts_per_tok": 2, "vocab_size": 100, "layer_types": ["full_attention"]}`,
			"c.json: num_hidden_layers -5: too small: want 1 to 10,000"},
		{`{"model_type": "opt", "hidden_size": 0, "num_hidden_layers": 2, "num_attention_heads": 8, "ffn_dim": 64, "vocab_size": 100, "word_embed_proj_dim": 64}`,
			"c.json: hidden_size 0: too small: want 1 to 1,048,576"},
		{`{"model_type": "nemotron-nas", "hidden_size": 64, "num_hidden_layers": -1, "num_attention_heads": 8, "vocab_size": 9, "block_configs": [{}]}`,
			"c.json: num_hidden_layers -1: too small: want 1 to 10,000"},
	} {
		if _, err := ParseHF("c.json", []byte(tt.config)); err == nil || err.Error() != tt.want {
			t.Errorf("error %v, want %s", err, tt.want)
		}
	}
}
