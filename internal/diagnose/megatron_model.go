package diagnose

import (
	"strconv"
	"strings"
	"sync"

	"planner/costmodel"
	"planner/internal/catalog"
)

// model returns the preset that the file names, or whose shape it gives.
func (s settings) model() string {
	for _, key := range []string{"model", "tokenizer_model", "hf_model_name_or_path"} {
		if m := named(s[key]); m != "" {
			return m
		}
	}
	best, score := "", 0
	for _, m := range presetModels() {
		if k := s.likeness(m); k > score {
			best, score = m.Name, k
		}
	}
	return best
}

// presetModels are all of the catalog's, read once.
var presetModels = sync.OnceValue(func() (out []*costmodel.Model) {
	for _, n := range catalog.ModelNames() {
		if m, err := catalog.Model(n); err == nil {
			out = append(out, m)
		}
	}
	return out
})

// likeness counts how many further facts of a model the arguments give, once
// layers, width and heads agree; 0 where they do not. Models of one shape are
// told apart by which of them people mean by the size.
func (s settings) likeness(m *costmodel.Model) int {
	is := func(key string, v int) bool { return s[key] == strconv.Itoa(v) }
	if !is("num_layers", m.Layers()) || !is("hidden_size", m.Hidden) || !is("num_attention_heads", m.Heads()) {
		return 0
	}
	seq, _ := strconv.Atoi(s["seq_length"])
	score := 1
	for _, same := range []bool{
		is("ffn_hidden_size", m.FFN()), is("num_query_groups", m.KVHeads()), is("max_position_embeddings", m.MaxSeq),
		is("vocab_size", m.Vocab), is("num_experts", m.Experts()), m.MaxSeq >= seq, catalog.StandsForSize(m.Name),
	} {
		if same {
			score++
		}
	}
	return score
}

// named returns the preset that a file's name for a model stands for, or "".
func named(text string) string {
	text = strings.TrimSuffix(strings.TrimSuffix(text, ".yaml"), ".yml")
	if text == "" || len(text) > 100 || strings.ContainsAny(text, `/\`) {
		return ""
	}
	for _, n := range []string{text, strings.ReplaceAll(text, "_", "-"), strings.TrimSuffix(strings.ReplaceAll(text, "_", "-"), "-v0.1")} {
		for _, known := range catalog.ModelNames() {
			if strings.EqualFold(known, n) {
				return known
			}
		}
	}
	return ""
}
