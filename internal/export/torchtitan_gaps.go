package export

import (
	"planner/hardware"
	"planner/strategies"
)

// titanMissing lists what neither release of torchtitan expresses.
func titanMissing(p *Plan, d *Document) {
	l := &p.Layout
	if l.Zero == 1 {
		d.cannot("zero", "zero=1: FSDP has no stage that splits the optimizer alone; zero=2 (reshard \"never\") is written")
	}
	if l.Zero > 0 && l.Shard == 1 {
		d.cannot("zero,shard", "zero=%d over one rank: FSDP is off where it has nothing to split", l.Zero)
	}
	if l.Zero == 0 && l.CP > 1 {
		d.cannot("zero,shard", "zero=0 with cp=%d: FSDP always splits over the cp ranks", l.CP)
	}
	if l.CP > 1 && l.CPKind != strategies.CPAllGather {
		d.cannot("cpkind", "cpkind=%s: the trainer gathers keys and values, whatever context_parallel_rotate_method says: it is read in validation alone (distributed/utils.py)", l.CPKind)
	}
	if l.Offload == strategies.OffloadOptimizer {
		d.cannot("offload", "offload=optimizer: enable_cpu_offload moves parameters and optimizer together")
	}
	if l.HPZ > 0 {
		d.cannot("hpz", "hpz=%d: use shard for HSDP instead", l.HPZ)
	}
	if p.Problem.Work.Precision == hardware.FP16 {
		d.missing("precision fp16: torchtitan scales no loss: run bf16")
	}
	if l.EP > 1 && l.Dispatcher != strategies.DispatchAllToAll {
		d.cannot("dispatcher", "dispatcher=%s: chosen by the model's expert-parallel backend", l.Dispatcher)
	}
	titanFold(p, d)
	hybrid(p.Problem.Model, d)
}

// titanSplits reports whether FSDP has ranks to split over.
func titanSplits(l *strategies.Layout) bool { return l.CP > 1 || l.Zero > 0 && l.Shard > 1 }

// titanFold refuses experts over ranks that no mesh has: EFSDP·EP = shard·CP·TP
// (distributed/parallel_dims.py).
func titanFold(p *Plan, d *Document) {
	l := &p.Layout
	_, shard := titanDegrees(l, &Document{})
	if ranks := shard * l.CP * l.TP; p.Problem.Model.Experts() > 0 && ranks%(l.EP*max(1, titanETP(l))) != 0 {
		d.refuse("ep", "ep=%d: experts are dealt out among shard × tp = %d ranks, replicas apart: use an ep that divides them, or a larger shard", l.EP, ranks)
	}
}

// titanETP is the ranks that split an expert of the fold.
func titanETP(l *strategies.Layout) int {
	if l.EP > 1 {
		return l.ETP
	}
	return 1
}

// titanExperts refuses experts that EP and TP both split, or neither: on main
// EP alone does, and where it is 1 TP.
func titanExperts(p *Plan, d *Document) {
	l := &p.Layout
	if p.Problem.Model.Experts() > 0 && (l.EP > 1 && l.ETP > 1 || l.EP == 1 && l.ETP != l.TP) {
		d.cannot("etp", "etp=%d: no field for it: experts are split over ep, or with ep=1 over tp (v0.2.2: expert_tensor_parallel_degree)", l.ETP)
	}
}

// titanPrecision notes that converters are parts of the models on main.
func titanPrecision(p *Plan, d *Document) {
	if w := p.Problem.Work.Precision; low(w) {
		d.missing("precision %s: add the converter of your model (Float8…, MXFP8… or NVFP4…)", w)
	}
}

// titanReplicates says what of v0.2.2 holds without FSDP: DistributedDataParallel
// works alone, and mixed precision is FSDP's, or autocast's where nothing else
// splits the model (models/llama3/infra/parallelize.py; maybe_enable_amp of
// distributed/utils.py).
func titanReplicates(l *strategies.Layout, d *Document) {
	switch {
	case titanSplits(l) || l.TP*l.PP*l.EP == 1:
	case l.DP > 1:
		d.refuse("zero", "zero=%d with tp=%d,pp=%d,ep=%d: v0.2.2 has no DistributedDataParallel beside another degree: use zero=2 or 3", l.Zero, l.TP, l.PP, l.EP)
	default:
		d.cannot("zero", "one replica without FSDP: v0.2.2 computes tp=%d,pp=%d in fp32, its mixed precision is FSDP's", l.TP, l.PP)
	}
}
