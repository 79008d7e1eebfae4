package catalog

import (
	"slices"
	"strings"
	"testing"
)

// nestedConfigs stand in for files of the case that are not stored: the
// published sizes, with the keys that the published files leave out left out.
var nestedConfigs = map[string]string{
	"google--gemma-3-12b-it.nested.json": `{"architectures": ["Gemma3ForConditionalGeneration"], "model_type": "gemma3",
		"text_config": {"hidden_size": 3840, "intermediate_size": 15360, "model_type": "gemma3_text",
			"num_attention_heads": 16, "num_hidden_layers": 48, "num_key_value_heads": 8, "sliding_window": 1024},
		"vision_config": {"hidden_size": 1152, "num_hidden_layers": 27, "num_attention_heads": 16, "model_type": "siglip_vision_model"}}`,
	"Qwen--Qwen3-VL-2B-Instruct.json": `{"architectures": ["Qwen3VLForConditionalGeneration"], "model_type": "qwen3_vl",
		"text_config": {"head_dim": 128, "hidden_size": 2048, "intermediate_size": 6144, "max_position_embeddings": 262144,
			"model_type": "qwen3_vl_text", "num_attention_heads": 16, "num_hidden_layers": 28, "num_key_value_heads": 8, "vocab_size": 151936},
		"tie_word_embeddings": true, "vision_config": {"hidden_size": 1024, "depth": 24}}`,
	"meta-llama--Llama-4-Scout-17B-16E-Instruct.json": `{"architectures": ["Llama4ForConditionalGeneration"], "model_type": "llama4",
		"text_config": {"attention_chunk_size": 8192, "head_dim": 128, "hidden_size": 5120, "interleave_moe_layer_step": 1,
			"intermediate_size": 8192, "intermediate_size_mlp": 16384, "max_position_embeddings": 10485760, "model_type": "llama4_text",
			"num_attention_heads": 40, "num_experts_per_tok": 1, "num_hidden_layers": 48, "num_key_value_heads": 8,
			"num_local_experts": 16, "vocab_size": 202048}}`,
}

// The language model of multimodal files.
func TestCase046(t *testing.T) {
	c := loadCase(t, "046-import-nested-text-config.toml")
	want := nums(t, c.Expect, "params_text")
	for i, f := range c.Model["files"].([]any) {
		text := []byte(nestedConfigs[f.(string)])
		if len(text) == 0 {
			text = sharedFile(t, "hf_configs", f.(string))
		}
		m, err := ParseHF(f.(string), text)
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		if got := m.Parameters(); got != want[i] {
			t.Errorf("%s: parameters = %d, want %d", f, got, want[i])
		}
		if !slices.Contains(m.Notes, c.Expect["warn"].(string)) {
			t.Errorf("%s: notes %q lack %q", f, m.Notes, c.Expect["warn"])
		}
	}
}

// A file without sizes is refused by name of what it lacks.
func TestCase047(t *testing.T) {
	c := loadCase(t, "047-import-sizes-missing-everywhere.toml")
	for _, hidden := range []string{`"none"`, `null`, `[96, 192]`} {
		text := `{"model_type": "` + c.Model["model_type"].(string) + `", "hidden_size": ` + hidden + `, "num_hidden_layers": 12, "num_attention_heads": 12}`
		if hidden == `null` {
			text = `{"model_type": "encoder-decoder", "encoder": {"hidden_size": 768}, "decoder": {"hidden_size": 768}}`
		}
		_, err := ParseHF("config.json", []byte(text))
		wantNames(t, c, err)
	}
}

// wantNames checks that the one-line error names the fields of the case.
func wantNames(t *testing.T, c acceptance, err error) {
	t.Helper()
	if err == nil {
		t.Error("no error")
		return
	}
	for _, f := range c.Expect["names_fields"].([]any) {
		if !strings.Contains(err.Error(), f.(string)) {
			t.Errorf("error %q does not name %s", err, f)
		}
	}
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("error is not one line: %q", err)
	}
}

// Another tool's schema is refused, naming what is missing.
func TestCase053(t *testing.T) {
	c := loadCase(t, "053-import-not-hf-schema.toml")
	for _, f := range []string{
		"bigcode_santacoder.json", "gpt2.json", "gpt2-medium.json", "gpt2-large.json", "gpt2-xl.json", "bloom-175b.json",
		"bigscience_bloom-7b1.json", "EleutherAI_gpt-j-6b.json", "EleutherAI_gpt-neo-2.7B.json", "facebook_opt-1.3b.json",
		"facebook_opt-350m.json", "NousResearch_Llama-2-7b-hf.json", "decapoda-research_llama-30b-hf.json",
		"upstage_Llama-2-70b-instruct-v2.json",
	} {
		_, err := ParseHF(f, sharedFile(t, "inputs", "other_schema", f))
		wantNames(t, c, err)
	}
}
