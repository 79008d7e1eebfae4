package export

import (
	"slices"
	"testing"

	"planner/internal/ask"
)

// A mesh without a pipeline's stages is smaller than the world: accelerate's
// parallelism_config multiplies to num_processes or is refused by it.
func TestRefusesWhatCannotRun(t *testing.T) {
	megatron := ask.Question{Model: "8b", GPUs: 64, Framework: "megatron"}
	for _, c := range []struct {
		target string
		q      ask.Question
		layout string
		keys   []string
		runs   bool
	}{
		{"fsdp", megatron, "tp=2,pp=4,zero=1", []string{"pp", "vpp", "zero", "sp"}, false},
		{"fsdp", megatron, "tp=2", []string{"zero", "sp"}, false},
		{"fsdp", megatron, "zero=1", []string{"zero"}, true},
		{"fsdp", ask.Question{Model: "8b", GPUs: 64, Framework: "fsdp"}, "zero=3,recompute=full", nil, true},
		{"deepspeed", megatron, "pp=2,zero=1", []string{"pp"}, false},
		{"deepspeed", ask.Question{Model: "8b", GPUs: 64, Framework: "deepspeed"}, "zero=3,shard=8,recompute=full", nil, true},
		{"nemo", megatron, "tp=2,zero=1,shard=8", []string{"shard"}, true},
		{"megatron", megatron, "tp=2,pp=4,vpp=2,zero=1,shard=4,recompute=full", nil, true},
	} {
		p := plan(t, c.q, c.layout)
		keys, refused := Gaps(c.target, p)
		if !slices.Equal(keys, c.keys) || (refused == "") != c.runs {
			t.Errorf("%s of %s: %v, %q, want %v, %t", c.target, c.layout, keys, refused, c.keys, c.runs)
		}
		if _, err := Export(c.target, p); (err == nil) != c.runs {
			t.Errorf("%s of %s: %v", c.target, c.layout, err)
		}
	}
}
