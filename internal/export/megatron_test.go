package export

import (
	"slices"
	"strings"
	"testing"

	"planner/hardware"
	"planner/internal/ask"
	"planner/strategies"
)

// Flags of Megatron-LM's own scripts: examples/post_training/modelopt/conf,
// deepseek-ai/DeepSeek-R1.sh and openai/gpt-oss-120b.sh; and --mtp-num-layers
// of arXiv 2412.19437, section 2.2. What the scripts set and planner does not
// hold of a model, or Megatron does not have, is named.
func TestMegatronModel(t *testing.T) {
	for _, c := range []struct {
		model               string
		want, never, misses []string
	}{
		{"deepseek-r1",
			[]string{"--num-experts 256", "--moe-layer-freq ([0]*3+[1]*58)", "--moe-ffn-hidden-size 2048", "--moe-router-score-function sigmoid",
				"--moe-router-enable-expert-bias", "--moe-router-topk 8", "--moe-shared-expert-intermediate-size 2048", "--qk-layernorm",
				"--q-lora-rank 1536", "--kv-lora-rank 512", "--normalization RMSNorm", "--mtp-num-layers 1"},
			[]string{"--softmax-type", "--experimental-attention-variant", "--moe-shared-expert-gate"},
			[]string{"--rotary-base", "--moe-router-num-groups", "--moe-router-group-topk", "--moe-router-topk-scaling-factor", "--moe-router-load-balancing-type"}},
		{"kimi-k2", []string{"--moe-router-enable-expert-bias"}, []string{"--mtp-num-layers"}, nil},
		{"deepseek-v3.2", []string{"--experimental-attention-variant dsa", "--dsa-indexer-n-heads 64", "--dsa-indexer-topk 2048"}, nil, []string{"--dsa-indexer-loss-coeff"}},
		{"gpt-oss-120b", []string{"--softmax-type learnable"}, []string{"--moe-router-enable-expert-bias", "--disable-bias-linear"},
			[]string{"--moe-router-score-function", "sliding windows"}},
		{"gpt-neox-20b", nil, []string{"--disable-bias-linear"}, []string{"parallel attention and MLP", "--rotary-percent"}},
		{"gemma2-9b", nil, nil, []string{"more than two norms a layer"}},
		{"bloom-176b", nil, nil, []string{"ALiBi", "the norm after the embedding"}},
		{"gpt3-175b", []string{"--position-embedding-type learned_absolute"}, []string{"--disable-bias-linear"}, []string{"--norm-epsilon"}},
	} {
		q := ask.Question{Model: c.model, GPUs: 1024, SeqLen: 2048, GlobalBatch: 1024, Framework: "megatron"}
		d := document(t, "megatron", plan(t, q, "zero=1"))
		says(t, c.model, d, c.want, c.never, nil)
		for _, m := range c.misses {
			if !slices.ContainsFunc(d.Missing, func(s string) bool { return strings.Contains(s, m) }) {
				t.Errorf("%s: cannot express %q: %s is not named", c.model, d.Missing, m)
			}
		}
	}
}

// A launcher that starts a script whose settings planner does not write says
// so.
func TestLaunchedSettings(t *testing.T) {
	for framework, want := range map[string]string{"megatron": "planner export --to megatron ", "nanotron": "writes no config.yaml", "megatron-deepspeed": "writes no arguments",
		"fsdp": "planner export --to fsdp "} {
		q := ask.Question{Model: "8b", GPUs: 64, Framework: framework}
		layout := map[bool]string{true: "zero=3", false: "zero=1"}[framework == "fsdp"]
		if d := document(t, "torchrun", plan(t, q, layout)); !strings.Contains(d.Text, want) {
			t.Errorf("%s: no %q in\n%s", framework, want, d.Text)
		}
	}
}

// The multi-token prediction that no figure holds is named by every target.
func TestPredictionLayers(t *testing.T) {
	for _, target := range Targets() {
		q := ask.Question{Model: "deepseek-v3", GPUs: 2048, SeqLen: 4096, GlobalBatch: 8192, Framework: "megatron"}
		d := document(t, target, plan(t, q, "ep=64,zero=1"))
		if !strings.Contains(d.Text+d.SideFile(), "multi-token prediction of deepseek-v3: ") {
			t.Errorf("%s: %q", target, d.Assumed)
		}
	}
}

// An H100 has no fp4 units (NVIDIA's data sheet): what is predicted and written
// runs in fp8.
func TestExportAsThePartRuns(t *testing.T) {
	d := &Document{}
	p := &Plan{Problem: &strategies.Problem{Cluster: &hardware.Cluster{GPU: &hardware.Accelerator{Name: "h100"}}}}
	p.Problem.Cluster.GPU.Peak[hardware.BF16], p.Problem.Cluster.GPU.Peak[hardware.FP8] = 1, 2
	p.Problem.Work.Precision = hardware.NVFP4
	if got := asRun(p, d).Problem.Work.Precision; got != hardware.FP8 || len(d.Assumed) != 1 || p.Problem.Work.Precision != hardware.NVFP4 {
		t.Errorf("%v, %q", got, d.Assumed)
	}
}
