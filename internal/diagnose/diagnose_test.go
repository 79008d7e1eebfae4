package diagnose

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"planner/costmodel/collective"
	"planner/internal/ask"
	"planner/internal/show"
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

// train_batch = micro · accumulation · DP: four public reports (OpenRLHF 346,
// starcoder 41, DeepSpeed 6914 and 3982) with the values that hold.
func TestBatch(t *testing.T) {
	for _, c := range []struct {
		batch, micro, accumulate, dp int
		want                         string
	}{
		{256, 2, 18, 7, "train_batch_size 252 or 266"},
		{256, 4, 8, 1, "DP 8"},
		{8, 2, 1, 1, "DP 4, or gradient_accumulation_steps 4"},
		{9, 1, 3, 1, "DP 3"},
		{252, 2, 18, 7, ""},
	} {
		err := Batch(c.batch, c.micro, c.accumulate, c.dp)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%d, %d, %d, %d: %v, want %q", c.batch, c.micro, c.accumulate, c.dp, err, c.want)
		}
	}
}

func subject(t testing.TB, name, text string, q ask.Question) *Subject {
	t.Helper()
	c, err := Parse(name, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	s, err := Resolve(c, q)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func find(findings []Finding, text string) bool {
	for _, f := range findings {
		if strings.Contains(f.Setting+": "+f.Says, text) {
			return true
		}
	}
	return false
}

func TestFindings(t *testing.T) {
	for _, c := range []struct {
		name, file, text string
		q                ask.Question
		want             []string
	}{
		{"stage 2 and accumulation", "ds.json", `{"train_micro_batch_size_per_gpu":1,"gradient_accumulation_steps":32,"bf16":{"enabled":true},"zero_optimization":{"stage":2}}`,
			ask.Question{Model: "8b", GPUs: 8, Hardware: "b200-sxm"}, []string{"stage 2 communicates every micro-batch; with GA=32 that is 32 × ", "stage 1 reduces once a step", "overlap_comm: off"}},
		{"hpZ and offload", "ds.json", `{"train_batch_size":64,"bf16":{"enabled":true},"zero_optimization":{"stage":3,"zero_hpz_partition_size":4,"offload_optimizer":{"device":"cpu"}}}`,
			ask.Question{Model: "8b", GPUs: 64}, []string{"hpZ together with offload is reported broken", "a node has 8 GPUs", "not needed, it fits without"}},
		{"one rank", "ds.json", `{"train_batch_size":8,"bf16":{"enabled":true},"zero_optimization":{"stage":1}}`,
			ask.Question{Model: "1b", GPUs: 1}, []string{"splits nothing"}},
		{"small buckets", "ds.json", `{"train_batch_size":64,"bf16":{"enabled":true},"zero_optimization":{"stage":1,"reduce_bucket_size":5e6}}`,
			ask.Question{Model: "8b", GPUs: 64}, []string{"reduce_bucket_size: 5,000,000 elements"}},
		{"sequence parallelism alone", "args.txt", "--tensor-model-parallel-size 1\n--sequence-parallel\n--micro-batch-size 1\n--global-batch-size 64\n--bf16\n--recompute-granularity full --recompute-method uniform --recompute-num-layers 1",
			ask.Question{Model: "8b", GPUs: 64}, []string{"sequence_parallel: does nothing", "use_distributed_optimizer: not set here"}},
		{"bubble", "args.txt", "--pipeline-model-parallel-size 8 --micro-batch-size 1 --global-batch-size 64 --bf16 --use-distributed-optimizer --overlap-grad-reduce --overlap-param-gather",
			ask.Question{Model: "8b", GPUs: 64}, []string{"8 micro-batches on 8 stages leave"}},
		{"compile", "t.toml", "[training]\nlocal_batch_size = 1\nseq_len = 8192\n[parallelism]\ndata_parallel_shard_degree = -1\n[activation_checkpoint]\nmode = \"full\"\n[compile]\nenable = false",
			ask.Question{Model: "8b", GPUs: 64}, []string{"compile.enable"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := subject(t, c.file, c.text, c.q)
			got := s.rules()
			for _, want := range c.want {
				if !find(got, want) {
					t.Errorf("no finding %q in %q", want, got)
				}
			}
		})
	}
}

// "auto" is resolved for the model's hidden size (Hugging Face: h², 0.9·h²,
// 10·h).
func TestAutos(t *testing.T) {
	s := subject(t, "ds.json", `{"train_batch_size":"auto","bf16":{"enabled":"auto"},"zero_optimization":{"stage":3,"reduce_bucket_size":"auto","stage3_prefetch_bucket_size":"auto","stage3_param_persistence_threshold":"auto"}}`,
		ask.Question{Model: "8b", GPUs: 64})
	notes := strings.Join(s.Notes, "\n")
	for _, want := range []string{"16777216", "15099494", "40960", "train_batch_size: auto: the launcher's arguments decide"} {
		if !strings.Contains(notes, want) {
			t.Errorf("no %s in %q", want, notes)
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

func TestShares(t *testing.T) {
	for text, want := range map[string]Share{
		"all_reduce=35%": {collective.AllReduce, 0.35}, "AllReduce=0.35": {collective.AllReduce, 0.35}, "all-gather=40 %": {collective.AllGather, 0.4},
		"ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL=31%": {collective.ReduceScatter, 0.31},
	} {
		got, err := ParseShare(text)
		if err != nil || got != want {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for text, want := range map[string]string{"all_reduce": "not op=share", "all_redduce=3%": "did you mean", "all_reduce=0": "not a share", "all_reduce=135%": "not a share", "x=y=z": "unknown call"} {
		if _, err := ParseShare(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// A share over 30 % is answered with a cause, a knob and the layouts to try;
// one that this layout cannot make is said to be foreign.
func TestRule(t *testing.T) {
	c, err := Read("tp=8,pp=4,zero=1")
	if err != nil {
		t.Fatal(err)
	}
	s, err := Resolve(c, ask.Question{Model: "70b", GPUs: 1024, Framework: "megatron"})
	if err != nil {
		t.Fatal(err)
	}
	gather := s.answer(Share{collective.AllGather, 0.35})
	if gather.Diagnosis == nil || !strings.Contains(gather.Diagnosis.Cause, "tp=8") {
		t.Errorf("all_gather: %+v", gather)
	}
	if a := s.answer(Share{collective.AllGather, 0.30}); a.Over || a.Diagnosis != nil {
		t.Errorf("30 %% is not over 30 %%: %+v", a)
	}
	if a := s.answer(Share{collective.AllToAll, 0.5}); !a.Foreign || a.Makes {
		t.Errorf("all_to_all of a dense model: %+v", a)
	}
}

// A gap is explained in its own direction, and a step inside the band is said
// to be so.
func TestGap(t *testing.T) {
	s := subject(t, "ds.json", `{"train_batch_size":64,"bf16":{"enabled":true},"zero_optimization":{"stage":3}}`, ask.Question{Model: "8b", GPUs: 64})
	g, err := s.gap(s.Explain.Step.Times(1.2))
	if err != nil {
		t.Fatal(err)
	}
	if len(g.Could) == 0 {
		t.Error("nothing explains a step of 120 %")
	}
	for _, h := range g.Could {
		if h.Step <= float64(s.Explain.Step) || h.Explains < least || h.Explains > most {
			t.Errorf("%+v", h)
		}
	}
	if g, err = s.gap(s.Explain.Step.Times(0.8)); err != nil || len(g.Could) != 0 {
		t.Errorf("faster than predicted: %+v, %v", g, err)
	}
}

func TestDiagnosis(t *testing.T) {
	s := subject(t, "ds.json", `{"train_micro_batch_size_per_gpu":1,"gradient_accumulation_steps":8,"bf16":{"enabled":true},"zero_optimization":{"stage":2}}`, ask.Question{Model: "8b", GPUs: 64})
	d, err := Run(context.Background(), s, &Request{Measured: s.Explain.Step.Times(1.3), Shares: []Share{{collective.AllReduce, 0.4}}})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	Show(&b, d)
	for _, want := range []string{"EXPECTED  ", "MEASURED  ", "SHARE     all_reduce", "SETTINGS", "BETTER"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %s in\n%s", want, b.String())
		}
	}
	for line := range strings.Lines(b.String()) {
		if n := len([]rune(line)); n > 160 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	b.Reset()
	if err := show.JSON(&b, NewDocument(d)); err != nil {
		t.Fatal(err)
	}
	var doc Document
	if err := json.Unmarshal(b.Bytes(), &doc); err != nil || doc.Measured == nil || len(doc.Shares) != 1 || len(doc.Findings) == 0 {
		t.Errorf("%v: %+v", err, doc)
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

// Degrees that do not multiply to the GPUs started are refused (nanotron 250).
func TestWorldIsNotTheProduct(t *testing.T) {
	c, err := Parse("t.toml", []byte("[parallelism]\ndata_parallel_shard_degree = 2\npipeline_parallel_degree = 2\ntensor_parallel_degree = 2\n[training]\nlocal_batch_size = 2\n"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = Resolve(c, ask.Question{Model: "8b", GPUs: 4})
	if err == nil || !strings.Contains(err.Error(), "tp·cp·pp·dp = 8, but there are 4 GPUs: use dp=1 or --gpus 8") {
		t.Errorf("error %v", err)
	}
}

func fuzzFile(f *testing.F, name string, seeds ...string) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := Parse(name, text)
		if err != nil {
			if err.Error() == "" || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %q", err)
			}
			return
		}
		_, _ = Resolve(c, ask.Question{Model: "8b", GPUs: 8})
	})
}

func FuzzDeepSpeed(f *testing.F) {
	fuzzFile(f, "a.json", `{"train_batch_size":8,"zero_optimization":{"stage":2,"reduce_bucket_size":5e8}}`, `{"bf16":{"enabled":"auto"}}`, `{"a":null}`)
}

func FuzzMegatronArgs(f *testing.F) {
	fuzzFile(f, "a.sh", "--tensor-model-parallel-size 4 --micro-batch-size 1", "--num-layers 8 \\\n --num-layers-per-virtual-pipeline-stage 1", "--global-batch-size=8")
}

func FuzzMegatronYAML(f *testing.F) {
	fuzzFile(f, "a.yaml", "modules:\n  pre:\n    overrides:\n      tensor_model_parallel_size: ${TP:2}\n", "micro_batch_size: 1\nmodel: llama3.1_70B.yaml")
}

func FuzzTitan(f *testing.F) {
	fuzzFile(f, "a.toml", "[parallelism]\ntensor_parallel_degree = 2\n", "[training]\nlocal_batch_size=1\n[model]\nname=\"llama3\"\nflavor=\"8B\"")
}

func FuzzShare(f *testing.F) {
	f.Add("all_reduce=35%")
	f.Fuzz(func(t *testing.T, text string) {
		if s, err := ParseShare(text); err == nil && !(s.Value > 0 && s.Value <= 1) {
			t.Errorf("%q: %v", text, s)
		}
	})
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
