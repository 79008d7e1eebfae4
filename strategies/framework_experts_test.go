package strategies_test

import (
	"strings"
	"testing"

	"planner/internal/ask"
)

// Experts are dealt out within one copy of the split state: Megatron asserts
// that the replicas of an expert divide by the instances of the distributed
// optimizer (parallel_state.py), torchtitan that EFSDP·EP = shard·CP·TP
// (parallel_dims.py). Of 64 ranks with 8 experts apart each has 8 replicas.
func TestExpertsWithinOneCopy(t *testing.T) {
	for _, c := range []struct{ framework, layout, remedy string }{
		{"megatron", "ep=8,zero=1,shard=8", ""},            // 8 instances, 8 replicas
		{"megatron", "ep=8,zero=1,shard=4", "shard=8"},     // 16 instances
		{"megatron", "tp=2,ep=8,etp=1,zero=1,shard=4", ""}, // 8 instances, 8 replicas
		{"megatron", "ep=8", ""},
		{"torchtitan", "ep=8,zero=3", ""},
		{"torchtitan", "ep=8,zero=3,shard=16", ""},
		{"torchtitan", "ep=8,zero=3,shard=4", "shard=8"},
		{"torchtitan", "ep=8", "of cp·tp = 1, which ep·etp = 8 does not divide: use zero=2 or 3"},
		{"torchtitan", "tp=8,ep=8,etp=1", ""},
	} {
		a, err := ask.Ask(ask.Question{Model: "mixtral-8x7b", GPUs: 64, Framework: c.framework})
		if err != nil {
			t.Fatal(err)
		}
		_, _, err = a.Layout(c.layout)
		switch {
		case c.remedy == "" && err != nil:
			t.Errorf("%s %s: %v", c.framework, c.layout, err)
		case c.remedy != "" && (err == nil || !strings.Contains(err.Error(), c.remedy)):
			t.Errorf("%s %s: %v, want %q", c.framework, c.layout, err, c.remedy)
		}
	}
}
