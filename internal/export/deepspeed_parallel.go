package export

import (
	"slices"

	"planner/strategies"
)

func dsParallel(c *dsConfig, p *Plan, d *Document) {
	l := &p.Layout
	if l.CP > 1 {
		c.Data, c.Sequence = l.DP, l.CP // of both DeepSpeed makes its groups (deepspeed/__init__.py)
		d.assume("your model code splits sequences: UlyssesSPAttentionHF, or DistributedAttention around its attention")
		if l.CPKind != strategies.CPA2A {
			d.cannot("cpkind", "cpkind=%s: DeepSpeed splits sequences by Ulysses (cpkind=a2a)", l.CPKind)
		}
	}
	if l.TP > 1 {
		c.Tensor = &dsTensor{l.TP}
		c.TrainBatch = 0
		d.assume("train_batch_size is left out: with tp and no mpu DeepSpeed takes every one of the %d processes for a replica (issue 7298)", l.World())
	}
	if l.TP > 1 && l.SP {
		d.cannot("sp", "sp: AutoTP keeps the sequence whole between products")
	}
	dsShard(l, d)
	if l.PP > 1 {
		d.refuse("pp", "pp=%d: PipelineModule(num_stages=%d) in your model code, no setting: by the file alone the batch is that of %d of %d processes: use pp=1",
			l.PP, l.PP, l.World()/l.PP, l.World())
	}
	if l.VPP > 1 {
		d.cannot("vpp", "vpp=%d: the pipeline engine has no virtual stages", l.VPP)
	}
	dsExperts(c, p, d)
}

// dsShard says what a shard group smaller than all ranks takes (MiCS).
func dsShard(l *strategies.Layout, d *Document) {
	switch {
	case l.Zero == 0 || l.Shard == l.DataRanks():
	case l.Zero < 3:
		d.cannot("shard", "shard=%d: mics_shard_size holds for zero=3 alone", l.Shard)
	case l.Offload != strategies.OffloadNone:
		d.refuse("shard,offload", "shard=%d with offload=%s: MiCS stops at gradients on the CPU (runtime/zero/mics.py): drop one of them", l.Shard, l.Offload)
	default:
		d.assume("mics_shard_size wants the model built under deepspeed.zero.MiCS_Init, which the engine checks")
	}
}

// autoEP are the model_types whose experts AutoEP finds by itself
// (deepspeed/module_inject/auto_ep_presets).
var autoEP = []string{"mixtral", "qwen2_moe", "qwen3_moe", "qwen3_5_moe_text", "deepseek_v2", "deepseek_v3"}

// dsExperts writes AutoEP, which deals whole experts out.
func dsExperts(c *dsConfig, p *Plan, d *Document) {
	l := &p.Layout
	if l.EP == 1 {
		return
	}
	c.Experts = &dsExpert{true, l.EP}
	if !slices.Contains(autoEP, p.Problem.Model.Family) {
		d.cannot("ep", "ep=%d: AutoEP has no preset for %s: set expert_parallel's patterns, or MoE(ep_size=%d) in your model code", l.EP, p.Problem.Model.Name, l.EP)
	}
	if l.ETP > 1 {
		d.cannot("etp", "etp=%d: AutoEP keeps experts whole", l.ETP)
	}
	if l.TP > 1 && l.Offload != strategies.OffloadNone {
		d.refuse("ep,offload", "ep=%d with tp=%d and offload=%s: AutoEP beside AutoTP stops at offload (module_inject/auto_ep_folding.py): drop one of them", l.EP, l.TP, l.Offload)
	}
}

func dsRecompute(c *dsConfig, p *Plan, d *Document) {
	l := &p.Layout
	switch l.Recompute {
	case strategies.RecomputeNone:
		return
	case strategies.RecomputeSelective:
		d.cannot("recompute", "recompute=selective: checkpoint the attention core in your model code")
		return
	}
	n := p.Problem.Model.Layers()
	if l.FullLayers > 0 {
		n = l.FullLayers * l.PP
	}
	c.Checkpoint = &dsCkpt{Number: n}
	d.assume("recompute=full is activation_checkpointing, whose options alone are settings: your model code calls deepspeed.checkpointing.checkpoint or gradient_checkpointing_enable()")
}
