package export

import (
	"strings"
	"testing"

	"planner/internal/ask"
)

// DeepSpeed 0.19.6: an unset tp group counts every process (runtime/config.py),
// Ulysses' groups come of two sizes (__init__.py), MiCS wants its own Init
// (zero/mics.py), experts are a section (module_inject/auto_ep_config.py).
func TestDeepSpeedRunsAsPriced(t *testing.T) {
	for _, c := range []priced{
		{"tp", "deepspeed", "8b", "", "tp=4,zero=1,sp=false", []string{`"autotp_size": 4`, `"train_micro_batch_size_per_gpu": 1`}, []string{`"train_batch_size"`}, []string{"train_batch_size is left out"}},
		{"Ulysses", "deepspeed", "8b", "", "cp=4,cpkind=a2a,zero=3", []string{`"data_parallel_size": 16`, `"sequence_parallel_size": 4`}, nil, []string{"UlyssesSPAttentionHF"}},
		{"stage 1 overlaps", "deepspeed", "8b", "", "zero=1", []string{`"overlap_comm": true`}, []string{"stage 0"}, []string{"FusedAdam"}},
		{"MiCS", "deepspeed", "8b", "", "zero=3,shard=8", []string{`"mics_shard_size": 8`}, nil, []string{"MiCS_Init"}},
		{"experts", "deepspeed", "qwen3-30b-a3b", "", "zero=2,ep=8", []string{`"autoep_size": 8`}, nil, []string{"cannot express: nothing"}},
		{"unknown experts", "deepspeed", "gpt-oss-20b", "", "zero=2,ep=8", []string{`"autoep_size": 8`}, nil, []string{"cannot express: ep=8: AutoEP has no preset"}},
		{"a leaf of its own", "deepspeed", "deepseek-v2-lite", "", "zero=3", nil, nil, []string{"the MoE block of deepseek-v2-lite is a leaf"}},
		{"and DeepSpeed's", "deepspeed", "mixtral-8x7b", "", "zero=3", nil, nil, []string{"cannot express: nothing"}},
		{"the host's Adam", "deepspeed", "8b", "", "zero=3,offload=optimizer", nil, nil, []string{"DeepSpeedCPUAdam"}},
	} {
		c.check(t, "deepspeed", "")
	}
}

func TestDeepSpeedRefuses(t *testing.T) {
	p := plan(t, ask.Question{Model: "8b", GPUs: 64, Framework: "deepspeed"}, "zero=3,shard=8,offload=optimizer")
	if _, err := Export("deepspeed", p); err == nil || !strings.Contains(err.Error(), "MiCS stops") {
		t.Errorf("%v", err)
	}
}
