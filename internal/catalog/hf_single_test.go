package catalog

import (
	"encoding/json"
	"strings"
	"testing"
)

// deepseekV3 has every kind of key: sizes, options, flags, words, ranks that may
// be null.
const deepseekV3 = `{"model_type": "deepseek_v3", "hidden_size": 7168, "num_hidden_layers": 61, "num_attention_heads": 128, "num_key_value_heads": 128,
	"intermediate_size": 18432, "moe_intermediate_size": 2048, "n_routed_experts": 256, "n_shared_experts": 1, "num_experts_per_tok": 8,
	"first_k_dense_replace": 3, "moe_layer_freq": 1, "q_lora_rank": 1536, "kv_lora_rank": 512, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64,
	"v_head_dim": 128, "vocab_size": 129280, "max_position_embeddings": 163840, "tie_word_embeddings": false, "num_nextn_predict_layers": 1}`

// One wrong value is one line, about the key that has it.
func TestOneFaultIsOneLine(t *testing.T) {
	var keys map[string]any
	if err := json.Unmarshal([]byte(deepseekV3), &keys); err != nil {
		t.Fatal(err)
	}
	for key := range keys {
		for _, value := range []string{`"16"`, "-1", "1.5", "[]", "{}", "true", "1e18", "1e999"} {
			var with map[string]json.RawMessage
			if err := json.Unmarshal([]byte(deepseekV3), &with); err != nil {
				t.Fatal(err)
			}
			with[key] = json.RawMessage(value)
			text, err := json.Marshal(with)
			if err != nil {
				t.Fatal(err)
			}
			if _, err = ParseHF("config.json", text); err != nil && (strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), key)) {
				t.Errorf("%s = %s: %v", key, value, err)
			}
		}
	}
}
