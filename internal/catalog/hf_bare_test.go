package catalog

import "testing"

// Every family survives a file that has the usual sizes alone, and one that
// has the usual keys of all families with lists too short.
func TestParseHFBareFamilies(t *testing.T) {
	for _, f := range hfFamilies() {
		for _, kind := range f.types {
			for _, more := range []string{
				"", `, "layer_types": [], "block_configs": [], "moe_layer_freq": [], "hybrid_layer_pattern": [], "indexer_types": []`,
				`, "num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 8, "attn_config": 3, "ffn_config": [], "block_configs": [1, 2]`,
			} {
				text := `{"model_type": "` + kind + `", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4,
					"intermediate_size": 64, "vocab_size": 100` + more + `}`
				if _, err := ParseHF("config.json", []byte(text)); err != nil {
					checkFault(t, err)
				}
			}
		}
	}
}
