package export

import (
	"fmt"

	"planner/costmodel"
	"planner/hardware"
	"planner/strategies"
)

// megatron writes arguments of pretrain_gpt.py, read with
// $(grep -v '^#' FILE). Most flags are generated from dataclass fields
// (megatron/training/argument_utils.py); the names of the pipeline's virtual
// stages stand in arguments.py.
func megatron(p *Plan, d *Document) {
	var f flagList
	megatronParallel(p, d, &f)
	megatronData(p, d, &f)
	megatronRecompute(p, d, &f)
	megatronBatch(p, &f)
	megatronPrecision(p, d, &f)
	megatronModel(p, d, &f)
	l := &p.Layout
	d.assume("data parallel %d is implied: %d / (%d·%d·%d)", l.DP, l.World(), l.TP, l.PP, l.CP)
	d.assume("global batch %d = micro-batch %d × GA %d × DP %d", p.Problem.Work.GlobalBatch, l.MBS, p.MicroBatches(), l.DP)
	d.Text = d.commented("# ") + f.String()
}

func megatronParallel(p *Plan, d *Document, f *flagList) {
	l := &p.Layout
	f.add("tensor-model-parallel-size", l.TP)
	f.when(l.SP && l.TP > 1, "sequence-parallel")
	f.add("pipeline-model-parallel-size", l.PP)
	f.above(1, "num-virtual-stages-per-pipeline-rank", l.VPP)
	f.above(0, "decoder-first-pipeline-num-layers", l.First)
	f.above(0, "decoder-last-pipeline-num-layers", l.Last)
	f.add("context-parallel-size", l.CP)
	if l.CP > 1 {
		f.add("cp-comm-type", megatronCP(l.CPKind))
	}
	if p.Problem.Model.Experts() > 0 {
		f.add("expert-model-parallel-size", l.EP)
		f.add("expert-tensor-parallel-size", l.ETP)
		f.add("moe-token-dispatcher-type", l.Dispatcher)
	}
	megatronSchedule(l, d)
}

// megatronSchedule lists the schedules that Megatron has no flag for.
func megatronSchedule(l *strategies.Layout, d *Document) {
	if s := l.Schedule; l.PP > 1 && s != strategies.OneFOneB && s != strategies.Interleaved {
		d.missing("schedule=%s: Megatron runs 1F1B, or interleaved 1F1B with virtual stages", s)
	}
}

func megatronCP(k strategies.CPKind) string {
	if k == strategies.CPAllGather {
		return "all_gather"
	}
	return k.String()
}

// fsdpStrategy is Megatron-FSDP's name of a ZeRO stage.
var fsdpStrategy = [4]string{"no_shard", "optim", "optim_grads", "optim_grads_params"}

func megatronData(p *Plan, d *Document, f *flagList) {
	l := &p.Layout
	switch l.Zero {
	case 0:
		f.add("overlap-grad-reduce")
	case 1:
		f.add("use-distributed-optimizer")
		f.add("overlap-grad-reduce")
		f.add("overlap-param-gather")
	default:
		f.add("use-megatron-fsdp")
		f.add("data-parallel-sharding-strategy", fsdpStrategy[l.Zero])
		f.add("use-distributed-optimizer")
		d.assume("ZeRO-%d runs as Megatron-FSDP, whose speed was not predicted", l.Zero)
	}
	if n := l.DataRanks() / max(1, l.Shard); l.Zero > 0 && n > 1 {
		f.add("num-distributed-optimizer-instances", n)
		if l.Zero > 1 {
			f.add("outer-dp-sharding-strategy", "no_shard")
		}
	}
	megatronOffload(l, d, f)
}

func megatronOffload(l *strategies.Layout, d *Document, f *flagList) {
	switch l.Offload {
	case strategies.OffloadOptimizer:
		f.add("optimizer-cpu-offload")
		f.add("optimizer-offload-fraction", "1.0")
		f.add("use-precision-aware-optimizer")
	case strategies.OffloadAll:
		d.missing("offload=optimizer+param: Megatron offloads the optimizer alone")
	}
	if l.HPZ > 0 {
		d.missing("hpz=%d: Megatron has no secondary shard", l.HPZ)
	}
}

func megatronRecompute(p *Plan, d *Document, f *flagList) {
	l := &p.Layout
	switch l.Recompute {
	case strategies.RecomputeSelective:
		f.add("recompute-granularity", "selective")
		f.add("recompute-modules", "core_attn")
	case strategies.RecomputeFull:
		f.add("recompute-granularity", "full")
		if l.FullLayers == 0 {
			f.add("recompute-method", "uniform")
			f.add("recompute-num-layers", 1)
			return
		}
		f.add("recompute-method", "block")
		f.add("recompute-num-layers", perChunk(l, d))
	}
}

// perChunk returns the layers to recompute of each virtual stage, as
// --recompute-num-layers counts them.
func perChunk(l *strategies.Layout, d *Document) int {
	if l.FullLayers%l.VPP != 0 {
		d.missing("recompute=full:%d: counted per virtual stage, and %d does not divide by vpp=%d: rounded up", l.FullLayers, l.FullLayers, l.VPP)
	}
	return (l.FullLayers + l.VPP - 1) / l.VPP
}

func megatronBatch(p *Plan, f *flagList) {
	f.add("micro-batch-size", p.Layout.MBS)
	f.add("global-batch-size", p.Problem.Work.GlobalBatch)
	f.add("seq-length", p.Problem.Work.Seq)
}

func megatronPrecision(p *Plan, d *Document, f *flagList) {
	fp8 := map[hardware.Precision][2]string{
		hardware.FP8: {"hybrid", "delayed"}, hardware.FP8Block: {"e4m3", "blockwise"}, hardware.MXFP8: {"e4m3", "mxfp8"},
	}
	w := p.Problem.Work.Precision
	switch {
	case w == hardware.FP16:
		f.add("fp16")
	case w == hardware.FP32:
		d.assume("fp32 is the default: no precision flag")
	default:
		f.add("bf16")
	}
	if r, ok := fp8[w]; ok {
		f.add("fp8-format", r[0])
		f.add("fp8-recipe", r[1])
	}
	if w == hardware.NVFP4 {
		f.add("fp4-format", "e2m1")
	}
	if p.Profile.Comm.GradType == "fp32" && w != hardware.FP32 {
		d.assume("gradients are reduced in fp32, Megatron's default with --bf16")
	} else if w == hardware.BF16 {
		f.add("grad-reduce-in-bf16")
	}
}

func megatronModel(p *Plan, d *Document, f *flagList) {
	m := p.Problem.Model
	f.add("num-layers", m.Layers())
	f.add("hidden-size", m.Hidden)
	f.add("num-attention-heads", m.Heads())
	f.above(0, "max-position-embeddings", m.MaxSeq)
	megatronAttention(m, d, f)
	megatronFFN(m, d, f)
	f.when(!m.Tied, "untie-embeddings-and-output-weights")
	if n := p.Profile.Memory.VocabMultiple; n > 0 {
		f.add("make-vocab-size-divisible-by", n)
	}
	d.assume("rotary base, norm epsilon, initialisation, tokenizer and data come from the model's own configuration")
	hybrid(m, d)
}

func megatronAttention(m *costmodel.Model, d *Document, f *flagList) {
	x := attentionOf(m)
	switch {
	case x.Kind == costmodel.MLA:
		f.add("multi-latent-attention")
		f.above(0, "q-lora-rank", x.QRank)
		f.add("kv-lora-rank", x.KVRank)
		f.add("qk-head-dim", x.HeadDim-x.RopeDim)
		f.add("qk-pos-emb-head-dim", x.RopeDim)
		f.add("v-head-dim", x.VHeadDim)
	case x.KVHeads != x.Heads:
		f.add("group-query-attention")
		f.add("num-query-groups", x.KVHeads)
	}
	if x.Kind == costmodel.Attention && x.HeadDim*x.Heads != m.Hidden {
		f.add("kv-channels", x.HeadDim)
	}
	f.when(x.QKNorm > 0, "qk-layernorm")
	f.when(x.QKVBias && !x.OutBias, "add-qkv-bias")
	if x.Window > 0 && x.Window < m.MaxSeq {
		d.missing("sliding windows of %d tokens: --window-size holds for every layer; set it if your layers are alike", x.Window)
	}
}

func megatronFFN(m *costmodel.Model, d *Document, f *flagList) {
	layer := m.Kinds[m.Pattern[len(m.Pattern)-1]]
	biased := layer.Mixer.OutBias || layer.FFN.Bias
	if m.Positions > 0 {
		f.add("position-embedding-type", "learned_absolute")
	} else {
		f.add("position-embedding-type", "rope")
	}
	if layer.LayerNorm {
		f.add("normalization", "LayerNorm")
	} else {
		f.add("normalization", "RMSNorm")
	}
	f.when(layer.FFN.Gated, "swiglu")
	f.when(!biased, "disable-bias-linear")
	if m.Experts() == 0 {
		f.add("ffn-hidden-size", m.FFN())
		return
	}
	megatronExperts(m, f)
	if layer.Parallel {
		d.missing("parallel attention and MLP: not among Megatron's GPT layers")
	}
}

func megatronExperts(m *costmodel.Model, f *flagList) {
	e, dense := sparseOf(m), 0
	for _, k := range m.Pattern {
		if n := &m.Kinds[k].FFN; n.Experts == 0 {
			dense = max(dense, n.Width)
		}
	}
	f.above(0, "ffn-hidden-size", dense)
	f.add("num-experts", e.Experts)
	f.add("moe-router-topk", e.TopK)
	f.add("moe-ffn-hidden-size", e.ExpertWidth)
	f.above(0, "moe-shared-expert-intermediate-size", e.Shared)
	f.add("moe-grouped-gemm")
	if freq, mixed := layerFrequency(m); mixed {
		f.add("moe-layer-freq", freq)
	}
}

// layerFrequency writes which layers have experts as Python, run-length
// encoded: "([0]*3+[1]*58)".
func layerFrequency(m *costmodel.Model) (string, bool) {
	type stretch struct{ sparse, n int }
	var runs []stretch
	for _, k := range m.Pattern {
		s := 0
		if m.Kinds[k].FFN.Experts > 0 {
			s = 1
		}
		if n := len(runs); n > 0 && runs[n-1].sparse == s {
			runs[n-1].n++
			continue
		}
		runs = append(runs, stretch{s, 1})
	}
	text := ""
	for i, r := range runs {
		if i > 0 {
			text += "+"
		}
		text += fmt.Sprintf("[%d]*%d", r.sparse, r.n)
	}
	return "(" + text + ")", len(runs) > 1
}

// attentionOf returns the mixer of the first layer with attention.
func attentionOf(m *costmodel.Model) costmodel.Mixer {
	for _, k := range m.Pattern {
		if x := m.Kinds[k].Mixer; x.Kind == costmodel.Attention || x.Kind == costmodel.MLA {
			return x
		}
	}
	return costmodel.Mixer{}
}

// sparseOf returns the feed-forward part of the first layer with experts.
func sparseOf(m *costmodel.Model) costmodel.FFN {
	for _, k := range m.Pattern {
		if f := m.Kinds[k].FFN; f.Experts > 0 {
			return f
		}
	}
	return costmodel.FFN{}
}

// hybrid lists layers that a GPT-shaped exporter has no words for.
func hybrid(m *costmodel.Model, d *Document) {
	for i := range m.Kinds {
		switch m.Kinds[i].Mixer.Kind {
		case costmodel.Linear, costmodel.Mamba2, costmodel.NoMixer:
			d.missing("layers without attention: this model is a hybrid; use the framework's own definition of it")
			return
		}
	}
}
