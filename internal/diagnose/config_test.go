package diagnose

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"planner/internal/ask"
	"planner/strategies"
)

// input reads a third-party file; the test is skipped where there is none.
func input(t testing.TB, parts ...string) string {
	t.Helper()
	path := filepath.Join(append([]string{"..", "..", "..", "shared", "inputs"}, parts...)...)
	if _, err := os.Stat(path); err != nil {
		t.Skip("no third-party inputs here")
	}
	return path
}

// What the real files say, read by eye.
func TestRealFiles(t *testing.T) {
	for _, c := range []struct {
		file                    []string
		kind, framework, model  string
		layout                  strategies.Layout
		seq, batch, gpus, autos int
	}{
		{[]string{"deepspeed", "accelerate_zero_stage3_offload_config.json"}, "DeepSpeed JSON", "deepspeed", "", strategies.Layout{Zero: 3, Offload: strategies.OffloadAll}, 0, 0, 0, 5},
		{[]string{"deepspeed", "accelerate_zero_stage1_config.json"}, "DeepSpeed JSON", "deepspeed", "", strategies.Layout{Zero: 1}, 0, 0, 0, 3},
		{[]string{"deepspeed", "ds_config_func_bs8_zero2_gas3.json"}, "DeepSpeed JSON", "deepspeed", "", strategies.Layout{Zero: 2, MBS: 8}, 0, 0, 0, 0},
		{[]string{"deepspeed", "ds_config_func_bs8_zero2_offload.json"}, "DeepSpeed JSON", "deepspeed", "", strategies.Layout{Zero: 2, Offload: strategies.OffloadOptimizer}, 0, 8, 0, 0},
		{[]string{"deepspeed", "template_zero3.json"}, "DeepSpeed JSON", "deepspeed", "", strategies.Layout{Zero: 3}, 0, 0, 0, 0},
		{[]string{"megatron", "primus_deepseek_v3-BF16-pretrain.yaml"}, "Megatron YAML", "megatron", "deepseek-v3", strategies.Layout{TP: 1, PP: 1, EP: 8, MBS: 4}, 4096, 256, 0, 0},
		{[]string{"megatron", "primus_llama3.1_70B-BF16-pretrain.yaml"}, "Megatron YAML", "fsdp", "llama3.1-70b",
			strategies.Layout{TP: 1, PP: 1, EP: 1, MBS: 3, Zero: 3, Recompute: strategies.RecomputeFull}, 8192, 24, 0, 0},
		{[]string{"megatron", "primus_mixtral_8x7B_v0.1-BF16-pretrain.yaml"}, "Megatron YAML", "megatron", "mixtral-8x7b", strategies.Layout{TP: 1, PP: 1, EP: 8, MBS: 2}, 4096, 32, 0, 0},
	} {
		got, err := Read(input(t, c.file...))
		if err != nil {
			t.Errorf("%s: %v", c.file[1], err)
			continue
		}
		if got.Kind != c.kind || got.Framework != c.framework || got.Model != c.model || got.Layout != c.layout ||
			got.Seq != c.seq || got.GlobalBatch != c.batch || got.GPUs != c.gpus || len(got.Autos) != c.autos {
			t.Errorf("%s: %+v", c.file[1], *got)
		}
	}
}

// Every DeepSpeed file of the inputs can be diagnosed on eight GPUs, or is
// refused with one line about its batch.
func TestEveryDeepSpeedFile(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(input(t, "deepspeed"), "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		c, err := Read(f)
		if err != nil {
			t.Errorf("%s: %v", f, err)
			continue
		}
		if _, err := Resolve(c, ask.Question{Model: "8b", GPUs: 8}); err != nil && (!strings.Contains(err.Error(), "batch") || strings.Contains(err.Error(), "\n")) {
			t.Errorf("%s: %v", filepath.Base(f), err)
		}
	}
}

func TestMegatronArguments(t *testing.T) {
	text := `#!/bin/bash
torchrun --nproc_per_node 8 pretrain_gpt.py \
  --tensor-model-parallel-size 4 --sequence-parallel \
  --pipeline-model-parallel-size=4 --num-layers-per-virtual-pipeline-stage 4 \
  --use-distributed-optimizer --overlap-grad-reduce --overlap-param-gather \
  --num-layers 80 --hidden-size "8192" --num-attention-heads 64 --ffn-hidden-size 28672 \
  --micro-batch-size 1 --global-batch-size 1024 --seq-length 8192 --bf16
# --tensor-model-parallel-size 8
`
	c, err := Parse("train.sh", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	want := strategies.Layout{TP: 4, PP: 4, VPP: 5, MBS: 1, Zero: 1, SP: true, Schedule: strategies.Interleaved}
	if c.Layout != want || c.GlobalBatch != 1024 || c.Precision != "bf16" {
		t.Errorf("%+v", *c)
	}
	if !strings.HasSuffix(c.Model, "70b") {
		t.Errorf("model %q, want a 70b of this shape", c.Model)
	}
}

// torchtitan keeps parameters after the forward pass when it has a pipeline,
// unless told otherwise: distributed/fsdp.py,
// get_fsdp_reshard_after_forward_policy.
func TestTitanReshards(t *testing.T) {
	for _, tt := range []struct {
		policy   string
		pp, zero int
	}{{"default", 1, 3}, {"default", 4, 2}, {"", 4, 2}, {"always", 4, 3}, {"never", 1, 2}} {
		text := fmt.Sprintf("[parallelism]\ndata_parallel_shard_degree = 2\npipeline_parallel_degree = %d\n", tt.pp)
		if tt.policy != "" {
			text += fmt.Sprintf("fsdp_reshard_after_forward = %q\n", tt.policy)
		}
		c, err := Parse("t.toml", []byte(text+"[training]\nlocal_batch_size = 4\n"))
		if err != nil {
			t.Fatal(err)
		}
		if c.Layout.Zero != tt.zero {
			t.Errorf("%q at pp=%d: zero=%d, want %d", tt.policy, tt.pp, c.Layout.Zero, tt.zero)
		}
	}
}

func TestMalformed(t *testing.T) {
	for _, c := range []struct{ file, text, want string }{
		{"ds.json", `{"zero_optimization": {"stage": 3,}}`, "ds.json:1:35: not valid JSON"},
		{"ds.json", `{"train_batch_size": "x"}`, `ds.json: train_batch_size: "x": want a number, true, false or "auto"`},
		{"ds.json", `{"zero_optimization": {"reduce_bucket_size": 1.5}}`, "ds.json: zero_optimization.reduce_bucket_size: 1.5: not a whole number"},
		{"ds.json", `{"zero_optimization": {"offload_param": {"device": 1}}}`, "ds.json: zero_optimization.offload_param.device: is a number: want a string"},
		{"ds.json", `[]`, "ds.json: is a list: want a DeepSpeed configuration"},
		{"ds.json", `{"zero_optimization": {"stage": 7}}`, "no such stage"},
		{"ds.json", `{"train_batch_size": "many"}`, `"auto"`},
		{"ds.json", `{"train_batch_size": -8}`, "out of range"},
		{"ds.json", `{"train_batch_size": true}`, "train_batch_size true: not a whole number"},
		{"ds.json", `{"zero_optimization": {"stage": true}}`, "stage true: not a whole number"},
		{"ds.json", `{"bf16": {"enabled": 5}}`, "bf16.enabled 5: not a switch"},
		{"ds.json", `{"zero_optimization": {"reduce_bucket_size": -5}}`, "out of range: want 0 to"},
		{"ds.json", `{"zero_optimization": {"zero_hpz_partition_size": -8}}`, "out of range"},
		{"a.yaml", "a: [", "not valid YAML"},
		{"a.yaml", "a: 1", "none of Megatron's arguments"},
		{"a.txt", "--tensor-model-parallel-size eight", "not a whole number"},
		{"a.txt", "hello", "no format that is known"},
		{"a.toml", "[parallelism", "a.toml:1: not valid TOML"},
		{"a.toml", "[training]\nglobal_batch_size = \"x\"", `a.toml:2: global_batch_size: is the string "x": want an integer`},
		{"a.toml", "a = 1", "no [parallelism] or [training]"},
		{"a.toml", "[parallelism]\ntensor_parallel_degree = -4", "out of range"},
		{"a.toml", "", "empty"},
	} {
		_, err := Parse(c.file, []byte(c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s %q: error %v, want %q on one line", c.file, c.text, err, c.want)
		}
	}
}
