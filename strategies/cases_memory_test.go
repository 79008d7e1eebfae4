package strategies_test

import (
	"testing"

	"planner/costmodel"
	"planner/costmodel/kernel"
	"planner/internal/ask"
	"planner/strategies"
)

// The estimator that DeepSpeed ships, for a 7B model on 4 GPUs.
func TestCase003(t *testing.T) {
	c := loadCase(t, "003-zero-estimator-7b-4gpu")
	p, largest := number(t, c.Model["params"]), number(t, c.Model["largest_layer_params"])
	want := numbers(t, c.Expect["state_gib"])
	for i, off := range []strategies.Offload{strategies.OffloadNone, strategies.OffloadOptimizer, strategies.OffloadAll} {
		within(t, off.String(), strategies.DeepSpeedEstimate(p, largest, 3, 4, off).GiB(), want[i], number(t, c.Expect["tolerance_rel"]))
	}
	// A run takes more than state alone.
	a, err := ask.Ask(ask.Question{Model: "llama2-7b", GPUs: 4, Framework: "deepspeed", GlobalBatch: 4, SeqLen: 2048, Hardware: "a100-sxm-80gb"})
	if err != nil {
		t.Fatal(err)
	}
	l, f, err := a.Layout("zero=3,offload=optimizer+param")
	if err != nil {
		t.Fatal(err)
	}
	e := a.Problem.Estimate(l, f)
	if e.Memory.Activations <= 0 || e.Memory.Logits <= 0 || e.Memory.Runtime <= 0 || e.Memory.Total().GiB() < 10 {
		t.Errorf("%.1f GiB with everything offloaded, measured 14 to 21", e.Memory.Total().GiB())
	}
}

// The same for T5-3B on 8 GPUs, stages 2 and 3.
func TestCase004(t *testing.T) {
	c := loadCase(t, "004-zero-estimator-t5-3b-8gpu")
	p, largest := number(t, c.Model["params"]), number(t, c.Model["largest_layer_params"])
	want := numbers(t, c.Expect["state_gib"])
	for i, r := range []struct {
		zero int
		off  strategies.Offload
	}{{2, strategies.OffloadNone}, {2, strategies.OffloadOptimizer}, {3, strategies.OffloadOptimizer}, {3, strategies.OffloadAll}} {
		got := strategies.DeepSpeedEstimate(p, largest, r.zero, 8, r.off).GiB()
		if want[i] < 0.2 { // two printed digits
			within(t, r.off.String(), got, want[i], 0.005/want[i])
			continue
		}
		within(t, r.off.String(), got, want[i], number(t, c.Expect["tolerance_rel"]))
	}
}

// Stage 2 splits gradients too: 2 + 14/8 bytes a parameter.
func TestCase005(t *testing.T) {
	c := loadCase(t, "005-zero2-estimator-double-counts-grads")
	p := number(t, c.Model["params"])
	m := profileOf(t, "deepspeed").StateBytes(p, 2, 8, false, strategies.OffloadNone)
	got := float64(m.State()) / p
	if got < number(t, c.Expect["bytes_per_param_min"]) || got > number(t, c.Expect["bytes_per_param_max"]) {
		t.Errorf("%v bytes a parameter, want %v to %v", got, c.Expect["bytes_per_param_min"], c.Expect["bytes_per_param_max"])
	}
}

// Megatron's 18 bytes: fp32 gradients, which its distributed optimizer keeps.
func TestCase007(t *testing.T) {
	c := loadCase(t, "007-megatron-18-bytes-per-param")
	p, f := number(t, c.Model["params"]), profileOf(t, "megatron")
	want := numbers(t, c.Expect["bytes_per_param"])
	for zero, shard := range []int{8, 8} {
		m := f.StateBytes(p, zero, shard, false, strategies.OffloadNone)
		within(t, "bytes a parameter", float64(m.State())/p, want[zero], 0)
	}
}

// 7B on 8 cards of 40 GB: the state is what does not fit, at any sequence.
func TestCase008(t *testing.T) {
	c := loadCase(t, "008-llama7b-8x40gb-tp1-pp1")
	tolerance := number(t, c.Expect["tolerance_rel"])
	p, f := number(t, c.Model["params"]), profileOf(t, "megatron")
	with, without := f.StateBytes(p, 1, 8, false, strategies.OffloadNone), f.StateBytes(p, 0, 8, false, strategies.OffloadNone)
	within(t, "with the distributed optimizer", with.State().GiB(), number(t, c.Expect["state_gib_with_dist_opt"]), tolerance)
	within(t, "without", without.State().GiB(), number(t, c.Expect["state_gib_without"]), tolerance)
	q := ask.Question{Model: "llama2-7b", Hardware: "a100-sxm-40gb", GPUs: 8, SeqLen: 64, GlobalBatch: 8, Framework: "megatron"}
	a, err := ask.Ask(q)
	if err != nil {
		t.Fatal(err)
	}
	if with.State() < a.Problem.Capacity() {
		t.Errorf("%v of state fits %v", with.State(), a.Problem.Capacity())
	}
	for layout, want := range map[string]bool{
		"dp=8": false, "tp=2,zero=1": true, "tp=4": true, "tp=8": true, "pp=2,zero=1": true,
	} {
		if got := fits(t, q, layout); got != want {
			t.Errorf("%s fits %v, want %v", layout, got, want)
		}
	}
}

// 70B under ZeRO-3: 16 bytes a parameter fill 16 cards of 80 GB.
func TestCase010(t *testing.T) {
	c := loadCase(t, "010-70b-zero3-16x80gb")
	p, f := number(t, c.Model["params"]), profileOf(t, "deepspeed")
	for gpus, key := range map[int]string{16: "state_gb", 32: "state_gb_32gpu"} {
		m := f.StateBytes(p, 3, gpus, false, strategies.OffloadNone)
		within(t, key, float64(m.State())/1e9, number(t, c.Expect[key]), number(t, c.Expect["tolerance_rel"]))
	}
	q := ask.Question{Model: "llama3-70b", Hardware: "a100-sxm-80gb", Framework: "deepspeed", GlobalBatch: 32}
	for gpus, want := range map[int]bool{16: c.Expect["fits"].(bool), 32: c.Expect["fits_32gpu"].(bool)} {
		q.GPUs = gpus
		if got := fits(t, q, "zero=3,recompute=full"); got != want {
			t.Errorf("%d GPUs: fits %v, want %v", gpus, got, want)
		}
	}
}

// 70B under Megatron without a distributed optimizer: 32 cards at least.
func TestCase011(t *testing.T) {
	c := loadCase(t, "011-70b-min-gpus-megatron")
	p, f := number(t, c.Model["params"]), profileOf(t, "megatron")
	state, fit := numbers(t, c.Expect["state_gb_no_distopt"]), c.Expect["fits"].([]any)
	for i, layout := range []string{"tp=8", "tp=8,pp=2", "tp=8,pp=4"} {
		m := f.StateBytes(p/float64(int(8)<<i), 0, 1, false, strategies.OffloadNone)
		within(t, layout, float64(m.State())/1e9, state[i], number(t, c.Expect["tolerance_rel"]))
		q := ask.Question{Model: "llama2-70b", Hardware: "a100-sxm-80gb", GPUs: 8 << i, Framework: "megatron", GlobalBatch: 64, SeqLen: 4096}
		if got := fits(t, q, layout); got != fit[i].(bool) {
			t.Errorf("%s fits %v, want %v", layout, got, fit[i])
		}
	}
}

// A full fine-tuning of 7B: not on one card of 80 GB, on two with sharding.
func TestCase012(t *testing.T) {
	c := loadCase(t, "012-alpaca-7b-one-80gb")
	p := number(t, c.Model["params"])
	state, fit := numbers(t, c.Expect["state_gib"]), c.Expect["fits"].([]any)
	for i, layout := range []string{"dp=1", "zero=3"} {
		m := profileOf(t, "fsdp").StateBytes(p, 3, i+1, false, strategies.OffloadNone)
		within(t, layout, m.State().GiB(), state[i], number(t, c.Expect["tolerance_rel"]))
		q := ask.Question{Model: "llama2-7b", Hardware: "a100-sxm-80gb", GPUs: i + 1, Framework: "fsdp", GlobalBatch: 2, SeqLen: 512}
		if got := fits(t, q, layout); got != fit[i].(bool) {
			t.Errorf("%d GPUs: fits %v, want %v", i+1, got, fit[i])
		}
	}
}

// Unfused attention keeps 5·a·b·s² bytes a layer: softmax, dropout and mask.
func TestCase015(t *testing.T) {
	c := loadCase(t, "015-phi3-attention-score-memory")
	l := costmodel.Layer{Mixer: costmodel.Mixer{Kind: costmodel.Attention, Heads: 32, KVHeads: 32, HeadDim: 96, VHeadDim: 96}, LayerNorm: true, FFN: costmodel.FFN{Bias: true}}
	s := costmodel.Slice{Batch: 1, Seq: 4096, CP: 1, TP: 1, EP: 1, ETP: 1, Imbalance: 1, Attention: kernel.Unfused}
	mib := func() float64 { return float64(l.Saved(3072, &s, false).Scores) / (1 << 20) }
	within(t, "unfused", mib(), number(t, c.Expect["per_layer_5abs2_mib"]), number(t, c.Expect["tolerance_rel"]))
	s.Attention = kernel.Flash2
	if got := mib(); got > number(t, c.Expect["with_flash_mib_max"]) {
		t.Errorf("%v MiB of scores with flash attention", got)
	}
}

// A frozen backbone has weights alone: whole under stage 2, split under 3.
func TestCase018(t *testing.T) {
	c := loadCase(t, "018-frozen-backbone-zero2-vs-zero3")
	want := numbers(t, c.Expect["backbone_gb"])
	for i, zero := range []int{2, 3} {
		m := profileOf(t, "deepspeed").StateBytes(number(t, c.Model["params_frozen"]), zero, 8, true, strategies.OffloadNone)
		within(t, "backbone", float64(m.State())/1e9, want[i], number(t, c.Expect["tolerance_rel"]))
	}
}

// GPT-2 124M with a padded vocabulary, to the parameter.
func TestCase019(t *testing.T) {
	c := loadCase(t, "019-llmc-zero1-gpt2-exact")
	a, err := ask.Ask(ask.Question{Model: "gpt2", GPUs: 1})
	if err != nil {
		t.Fatal(err)
	}
	m := a.Problem.Model
	padded := strategies.PadVocab(m.Vocab, 128, 1)
	params := float64(m.Parameters()) + float64((padded-m.Vocab)*m.Hidden)
	within(t, "parameters", params, number(t, c.Expect["params"]), 0)
	f := profileOf(t, "deepspeed")
	moments, mib := numbers(t, c.Expect["m_mib"]), number(t, c.Expect["tolerance_mib"])
	for i, shard := range []int{1, 8} {
		s := f.StateBytes(params, 1, shard, false, strategies.OffloadNone)
		within(t, "weights", float64(s.Weights)/(1<<20), number(t, c.Expect["weights_mib"]), mib/237)
		within(t, "one moment", float64(s.Moments)/2/(1<<20), moments[i], mib/moments[i])
	}
}

// Logits are tokens × vocabulary × bytes, whatever the sequence was packed of.
func TestCase023(t *testing.T) {
	c := loadCase(t, "023-logits-fp32-32k")
	want := numbers(t, c.Expect["logits_gib"])
	a, err := ask.Ask(ask.Question{Model: "qwen2.5-1.5b", GPUs: 1, GlobalBatch: 1, SeqLen: 2048, Framework: "fsdp"})
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range []struct {
		tokens, vocab int
		bytes         float64
	}{{32768, 151936, 4}, {4096, 128256, 2}, {11600, 248320, 4}} {
		p, m := *a.Problem, *a.Problem.Model
		p.Model, m.Vocab, p.Work.Seq = &m, r.vocab, r.tokens
		l, v := strategies.Layout{}.Complete(1)
		if v != nil {
			t.Fatal(v)
		}
		f := *p.Profiles[0]
		f.Fit, f.Default = nil, strategies.ProfileFit{}
		f.Memory.LogitsSplit, f.Memory.LogitsWhole = r.bytes, 0 // one copy of the case's type
		e := p.Estimate(l, &f)
		within(t, "logits", e.Memory.Logits.GiB(), want[i], number(t, c.Expect["tolerance_rel"]))
	}
}

// A report's 46,983 "MB" at DP 2: 6 + 12/2 bytes a parameter, in MiB.
func TestCase025(t *testing.T) {
	c := loadCase(t, "025-dist-opt-8b-param-buffer-flagscale")
	m := profileOf(t, "megatron").StateBytes(number(t, c.Observed["params_shard"]), 1, int(number(t, c.Expect["dp_implied"])), false, strategies.OffloadNone)
	within(t, "MiB", float64(m.State())/(1<<20), number(t, c.Expect["weight_opt_mib"]), number(t, c.Expect["tolerance_rel"]))
}

// ZeRO splits over data-parallel ranks, of which model parallelism may leave
// one.
func TestCase026(t *testing.T) {
	c := loadCase(t, "026-zero-dp1-no-gain")
	p, f := number(t, c.Model["params"])/8, profileOf(t, "deepspeed")
	want, fit := numbers(t, c.Expect["state_gb"]), c.Expect["fits"].([]any)
	a, err := ask.Ask(ask.Question{Model: "llama2-7b", Hardware: "v100-sxm-32gb", GPUs: 8, Precision: "fp16"})
	if err != nil {
		t.Fatal(err)
	}
	for i, dp := range []int{1, 6} {
		m := f.StateBytes(p, 2, dp, false, strategies.OffloadNone)
		within(t, "state", float64(m.State())/1e9, want[i], number(t, c.Expect["tolerance_rel"]))
		if got := m.State() < a.Problem.Capacity(); got != fit[i].(bool) {
			t.Errorf("dp=%d fits %v, want %v", dp, got, fit[i])
		}
	}
}

// 70B by the bytes assumed of a parameter.
func TestCase027(t *testing.T) {
	c := loadCase(t, "027-hf-blog-70b-300gb")
	p, f := number(t, c.Model["params"]), *profileOf(t, "deepspeed")
	tolerance := number(t, c.Expect["tolerance_rel"])
	m := f.StateBytes(p, 0, 1, false, strategies.OffloadNone)
	within(t, "16 bytes", float64(m.State())/1e9, number(t, c.Expect["state_gb_16B"]), tolerance)
	within(t, "weights", float64(m.Weights)/1e9, number(t, c.Expect["weights_gb"]), tolerance)
	f.Memory.Master, f.Memory.Moments = 0, 4 // all of it in bf16
	m = f.StateBytes(p, 0, 1, false, strategies.OffloadNone)
	within(t, "8 bytes", float64(m.State())/1e9, number(t, c.Expect["state_gb_bf16_only_8B"]), tolerance)
}
