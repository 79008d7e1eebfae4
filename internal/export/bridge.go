package export

import (
	"fmt"
	"strings"

	"planner/hardware"
	"planner/strategies"
)

// pyBool is Python's spelling.
func pyBool(b bool) string {
	if b {
		return "True"
	}
	return "False"
}

// assignments collects "cfg.x = y" lines of Python.
type assignments struct{ strings.Builder }

func (a *assignments) set(name string, value any) {
	if b, ok := value.(bool); ok {
		value = pyBool(b)
	}
	fmt.Fprintf(a, "    cfg.%s = %v\n", name, value)
}

// bridge writes a Python function that sets a layout on a ConfigContainer
// (src/megatron/bridge/training/config.py). Both switches of the distributed
// optimizer are written: with one of them off, the other turns it on again
// (Megatron-Bridge issue 2302).
func bridge(p *Plan, d *Document) {
	l, w := &p.Layout, &p.Problem.Work
	var a assignments
	bridgeModel(p, d, &a)
	zero := l.Zero > 0
	a.set("ddp.use_distributed_optimizer", zero)
	a.set("optimizer.use_distributed_optimizer", zero)
	a.set("ddp.overlap_grad_reduce", true)
	a.set("ddp.overlap_param_gather", zero)
	a.set("ddp.grad_reduce_in_fp32", p.Profile.Comm.GradType == "fp32")
	if n := l.DataRanks() / max(1, l.Shard); zero && n > 1 {
		a.set("ddp.num_distributed_optimizer_instances", n)
	}
	if l.Zero > 1 {
		a.set("dist.use_megatron_fsdp", true)
		a.set("ddp.use_megatron_fsdp", true)
		a.set("ddp.data_parallel_sharding_strategy", fmt.Sprintf("%q", fsdpStrategy[l.Zero]))
		a.set("checkpoint.ckpt_format", `"fsdp_dtensor"`)
		d.assume("ZeRO-%d runs as Megatron-FSDP, whose speed was not predicted", l.Zero)
	}
	a.set("train.micro_batch_size", l.MBS)
	a.set("train.global_batch_size", w.GlobalBatch)
	a.set("dataset.seq_length", w.Seq)
	a.set("model.seq_length", w.Seq)
	bridgePrecision(w.Precision, d, &a)
	bridgeRest(l, d, &a)
	bridgeOverlap(p, d, &a)
	d.assume("data parallel %d is implied; global batch %d = micro-batch %d × GA %d × DP %d", l.DP, w.GlobalBatch, l.MBS, p.MicroBatches(), l.DP)
	d.assume("the model itself comes from a recipe or AutoBridge.from_hf_pretrained(…)")
	d.Text = d.commented("# ") + "\nimport torch\nfrom megatron.bridge.training.comm_overlap import CommOverlapConfig\n\n\ndef apply(cfg):\n    \"\"\"Set the layout on a megatron.bridge ConfigContainer and return it.\"\"\"\n" + a.String() + "    return cfg\n"
}

// bridgeOverlap writes what hides communication (training/comm_overlap.py),
// with the profile's bucket: Bridge's own is of 128 Mi elements.
func bridgeOverlap(p *Plan, d *Document, a *assignments) {
	bucket := ""
	if n := gradBucket(p); n > 0 {
		bucket = fmt.Sprintf(", bucket_size=%d", n)
	}
	a.set("comm_overlap", fmt.Sprintf("CommOverlapConfig(tp_comm_overlap=%s%s)", pyBool(hidesTensorCalls(p)), bucket))
	if fusedLoss(p) {
		a.set("model.cross_entropy_loss_fusion", true)
		a.set("model.cross_entropy_fusion_impl", `"te"`)
	}
	refuseTokenCopies(p, d)
	assumeConnections(p, d)
}

func bridgeModel(p *Plan, d *Document, a *assignments) {
	l := &p.Layout
	a.set("model.tensor_model_parallel_size", l.TP)
	a.set("model.sequence_parallel", l.SP && l.TP > 1)
	a.set("model.pipeline_model_parallel_size", l.PP)
	if l.PP > 1 {
		a.set("model.pipeline_dtype", "torch.bfloat16")
	}
	vpp := "None"
	if l.VPP > 1 {
		vpp = fmt.Sprint(l.VPP)
	}
	a.set("model.virtual_pipeline_model_parallel_size", vpp)
	if l.First > 0 {
		a.set("model.num_layers_in_first_pipeline_stage", l.First)
	}
	if l.Last > 0 {
		a.set("model.num_layers_in_last_pipeline_stage", l.Last)
	}
	a.set("model.context_parallel_size", l.CP)
	if l.CP > 1 {
		a.set("model.cp_comm_type", fmt.Sprintf("%q", megatronCP(l.CPKind)))
	}
	if p.Problem.Model.Experts() > 0 {
		a.set("model.expert_model_parallel_size", l.EP)
		a.set("model.expert_tensor_parallel_size", l.ETP)
		a.set("model.moe_token_dispatcher_type", fmt.Sprintf("%q", l.Dispatcher))
		a.set("model.moe_permute_fusion", true)
		if c := p.Problem.Work.Capacity; c > 0 {
			a.set("model.moe_expert_capacity_factor", fmt.Sprint(c))
			a.set("model.moe_pad_expert_input_to_capacity", "True")
		}
	}
	megatronSchedule(l, d)
}

// bridgeRecipes are the mixed-precision recipes by the planner's precision
// (training/mixed_precision.py).
var bridgeRecipes = map[hardware.Precision]string{
	hardware.BF16: "bf16_mixed", hardware.FP16: "fp16_mixed", hardware.FP8: "bf16_with_fp8_delayed_scaling_mixed",
	hardware.FP8Block: "bf16_with_fp8_subchannel_scaling_mixed", hardware.MXFP8: "bf16_with_mxfp8_mixed", hardware.NVFP4: "bf16_with_nvfp4_mixed",
}

func bridgePrecision(w hardware.Precision, d *Document, a *assignments) {
	recipe, ok := bridgeRecipes[w]
	if !ok {
		d.missing("precision %s: no mixed-precision recipe of that name", w)
		return
	}
	a.set("mixed_precision", fmt.Sprintf("%q", recipe))
}

func bridgeRest(l *strategies.Layout, d *Document, a *assignments) {
	switch l.Recompute {
	case strategies.RecomputeSelective:
		a.set("model.recompute_granularity", `"selective"`)
		a.set("model.recompute_modules", `["core_attn"]`)
	case strategies.RecomputeFull:
		a.set("model.recompute_granularity", `"full"`)
		if l.FullLayers == 0 {
			a.set("model.recompute_method", `"uniform"`)
			a.set("model.recompute_num_layers", 1)
			break
		}
		a.set("model.recompute_method", `"block"`)
		a.set("model.recompute_num_layers", perChunk(l, d))
	}
	switch l.Offload {
	case strategies.OffloadOptimizer:
		a.set("optimizer.optimizer_cpu_offload", true)
		a.set("optimizer.optimizer_offload_fraction", "1.0")
	case strategies.OffloadAll:
		d.cannot("offload", "offload=optimizer+param: Megatron offloads the optimizer alone")
	}
	if l.HPZ > 0 {
		d.cannot("hpz", "hpz=%d: Megatron has no secondary shard", l.HPZ)
	}
}
