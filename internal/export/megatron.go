package export

import (
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
	f.when(hidesTensorCalls(p), "tp-comm-overlap")
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
		if c := p.Problem.Work.Capacity; c > 0 {
			f.add("moe-expert-capacity-factor", c)
			f.add("moe-pad-expert-input-to-capacity")
		}
	}
	megatronSchedule(l, d)
	refuseTokenCopies(p, d)
	assumeConnections(p, d)
}

// megatronSchedule lists the schedules that Megatron has no flag for.
func megatronSchedule(l *strategies.Layout, d *Document) {
	if s := l.Schedule; l.PP > 1 && s != strategies.OneFOneB && s != strategies.Interleaved {
		d.cannot("schedule", "schedule=%s: Megatron runs 1F1B, or interleaved 1F1B with virtual stages", s)
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
		f.add("overlap-grad-reduce")
		f.add("overlap-param-gather")
		f.add("ckpt-format", "fsdp_dtensor")
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
		d.cannot("offload", "offload=optimizer+param: Megatron offloads the optimizer alone")
	}
	if l.HPZ > 0 {
		d.cannot("hpz", "hpz=%d: Megatron has no secondary shard", l.HPZ)
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
		d.cannot("recompute", "recompute=full:%d: counted per virtual stage, and %d does not divide by vpp=%d: rounded up", l.FullLayers, l.FullLayers, l.VPP)
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
	if p.Problem.Model.Experts() > 0 && (w == hardware.FP16 || w == hardware.FP32) {
		d.refuse("", "--precision %s: Megatron's grouped products of experts want bf16 (arguments.py): use --precision bf16", w)
	}
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
		if n := p.Profile.Memory.LowCopies; n > 0 {
			d.assume("weights are counted with %g B of 8-bit copies beside: --fp8-param-gather takes less, transposes that are kept up to a byte more", n)
		}
	}
	if w == hardware.NVFP4 {
		f.add("fp4-format", "e2m1")
	}
	megatronGrads(p, d, f)
}

// megatronGrads writes the type in which gradients are summed: fp32 by default
// with --bf16 alone (megatron/training/arguments.py).
func megatronGrads(p *Plan, d *Document, f *flagList) {
	switch w := p.Problem.Work.Precision; {
	case w == hardware.FP32:
	case p.Profile.Comm.GradType != "fp32":
		f.when(w == hardware.BF16, "grad-reduce-in-bf16")
	case w == hardware.FP16:
		f.add("accumulate-allreduce-grads-in-fp32")
	default:
		d.assume("gradients are reduced in fp32, Megatron's default with --bf16")
	}
}
