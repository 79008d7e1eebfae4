package export

import (
	"planner/hardware"
	"planner/strategies"
)

// low reports products of 8 or 4 bits.
func low(w hardware.Precision) bool {
	switch w {
	case hardware.BF16, hardware.FP16, hardware.FP32:
		return false
	}
	return true
}

// titanParam is mixed_precision_param, the type that FSDP gathers.
func titanParam(w hardware.Precision) string {
	if w == hardware.FP32 {
		return "float32"
	}
	return "bfloat16"
}

// titanAssumed says what of main is not as the figures have it, or no field.
func titanAssumed(p *Plan, d *Document) {
	titanCompiled(p, low(p.Problem.Work.Precision), d)
	d.assume("CUDA graphs are off: the figures have the host launch each kernel")
	d.assume("the figures hold all logits of a micro-batch: the loss of the registry's configurations, ChunkedLossWrapper, holds a chunk of them at a time, and scatters the head's gradient once a chunk")
	if p.Layout.Recompute == strategies.RecomputeFull && p.Profile.Memory.EarlyStop && p.Problem.Model.Experts() == 0 {
		d.assume("the figures recompute a layer up to its last product: FullAC of 0.3.0 runs to its end (early_stop=False, no field), which takes longer")
	}
}

// titanCompiled says how the figures rest on torch.compile being off or on.
func titanCompiled(p *Plan, on bool, d *Document) {
	switch w := p.Problem.Work.Precision; {
	case on:
		d.assume("torch.compile is on: without it the casts to %s are kernels of their own", w)
	case low(w):
		d.assume("torch.compile is off, which v0.2.2 asks of %s with tp: the casts are kernels of their own, and the figures leave them out", w)
	case p.Layout.TP > 1:
		d.assume("torch.compile is off, and with it asynchronous tensor parallelism, as predicted")
	default:
		d.assume("torch.compile is off, as predicted: norms, SiLU and its product are kernels of their own")
	}
}
