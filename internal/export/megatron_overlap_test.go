package export

import (
	"strings"
	"testing"

	"planner/internal/ask"
	"planner/internal/catalog"
)

// What Megatron-LM asserts and defaults to (megatron/training/arguments.py,
// megatron/core/transformer/moe/moe_layer.py) against what the file says, so
// that a run has the overlap and the types that were priced.
func TestMegatronRunsAsPriced(t *testing.T) {
	for _, c := range []struct {
		name              string
		q                 ask.Question
		layout            string
		want, never, note []string
	}{
		{"userbuffers need sequence parallelism", ask.Question{Model: "70b", GPUs: 64}, "tp=8,zero=1",
			[]string{"--tp-comm-overlap", "--sequence-parallel"}, []string{"--ckpt-format", "--accumulate-allreduce-grads-in-fp32", "--cross-entropy-loss-fusion"}, []string{"CUDA_DEVICE_MAX_CONNECTIONS=1"}},
		{"without it", ask.Question{Model: "70b", GPUs: 64}, "tp=8,zero=1,sp=false", nil, []string{"--tp-comm-overlap"}, []string{"CUDA_DEVICE_MAX_CONNECTIONS=1"}},
		{"and one NVLink domain", ask.Question{Model: "70b", GPUs: 64, Options: catalog.ClusterOptions{GPUsPerNode: 4}}, "tp=8,zero=1", nil, []string{"--tp-comm-overlap"}, nil},
		{"which is a rack's", ask.Question{Model: "70b", GPUs: 64, Hardware: "gb200"}, "tp=8,zero=1",
			[]string{"--tp-comm-overlap", "--cross-entropy-loss-fusion", "--cross-entropy-fusion-impl te"}, nil, []string{"CUDA_DEVICE_MAX_CONNECTIONS=32"}},
		{"A100 is priced by runs without them", ask.Question{Model: "70b", GPUs: 64, Hardware: "a100-sxm-80gb"}, "tp=8,zero=1", nil, []string{"--tp-comm-overlap"}, nil},
		{"AMD has no userbuffers", ask.Question{Model: "70b", GPUs: 64, Hardware: "mi300x"}, "tp=8,zero=1", nil, []string{"--tp-comm-overlap"}, nil},
		{"context parallelism alone wants one connection", ask.Question{Model: "8b", GPUs: 64}, "cp=4,zero=1", nil, nil, []string{"CUDA_DEVICE_MAX_CONNECTIONS=1"}},
		{"data parallelism alone does not", ask.Question{Model: "8b", GPUs: 64}, "zero=1", []string{"--overlap-param-gather"}, []string{"# assumed: the environment"}, nil},
		{"fp16 sums in fp16 unless told", ask.Question{Model: "8b", GPUs: 64, Precision: "fp16"}, "zero=1", []string{"--accumulate-allreduce-grads-in-fp32"}, nil, nil},
		{"positions reach the sequence", ask.Question{Model: "llama2-7b", GPUs: 64, SeqLen: 8192, AllowLong: true}, "zero=1", []string{"--max-position-embeddings 8192"}, nil, nil},
		{"experts", ask.Question{Model: "mixtral-8x7b", GPUs: 64}, "tp=2,ep=4,zero=1", []string{"--moe-permute-fusion", "--tp-comm-overlap"}, nil, nil},
	} {
		c.q.Framework, c.q.GlobalBatch = "megatron", 512
		says(t, c.name, document(t, "megatron", plan(t, c.q, c.layout)), c.want, c.never, c.note)
	}
}

// Megatron's FSDP checkpoints in its own format and forbids one connection;
// Bridge has it on in two places (docs/training/megatron-fsdp.md).
func TestMegatronFSDP(t *testing.T) {
	p := plan(t, ask.Question{Model: "8b", GPUs: 64, Framework: "torchtitan"}, "zero=3,tp=2")
	for target, lines := range map[string][]string{
		"megatron":        {"--use-megatron-fsdp", "--ckpt-format fsdp_dtensor", "--overlap-param-gather"},
		"megatron-bridge": {"cfg.dist.use_megatron_fsdp = True", "cfg.ddp.use_megatron_fsdp = True", `cfg.checkpoint.ckpt_format = "fsdp_dtensor"`},
	} {
		text := document(t, target, p).Text
		for _, want := range append(lines, "no CUDA_DEVICE_MAX_CONNECTIONS=1") {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %q in\n%s", target, want, text)
			}
		}
	}
}

// Bridge and NeMo hide TP calls by settings of their own, with the bucket that
// the profile counts calls by: 40 million elements at 32 replicas.
func TestBridgeAndNemoOverlap(t *testing.T) {
	q := ask.Question{Model: "70b", GPUs: 64, Framework: "megatron"}
	for layout, want := range map[string]string{
		"tp=2,zero=1":          "tp_comm_overlap=True, bucket_size=40000000)",
		"tp=2,sp=false,zero=1": "tp_comm_overlap=False, bucket_size=40000000)",
	} {
		for _, target := range []string{"megatron-bridge", "nemo"} {
			if d := document(t, target, plan(t, q, layout)); !strings.Contains(d.Text, want) {
				t.Errorf("%s of %s: no %q in\n%s", target, layout, want, d.Text)
			}
		}
	}
}

// Files that Megatron would stop at are refused, with what would do.
func TestMegatronRefuses(t *testing.T) {
	for _, c := range []struct {
		q              ask.Question
		layout, remedy string
	}{
		{ask.Question{Model: "mixtral-8x7b", GPUs: 64}, "tp=2,ep=4,zero=1,sp=false", "use sp=true"},
		{ask.Question{Model: "mixtral-8x7b", GPUs: 64, Precision: "fp16"}, "ep=8,zero=1", "use --precision bf16"},
	} {
		c.q.Framework = "megatron"
		if _, err := Export("megatron", plan(t, c.q, c.layout)); err == nil || !strings.Contains(err.Error(), c.remedy) {
			t.Errorf("%s in %q: %v", c.layout, c.q.Precision, err)
		}
	}
}
