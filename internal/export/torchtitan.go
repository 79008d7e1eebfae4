package export

import (
	"fmt"

	"planner/strategies"
)

// titanDegrees are torchtitan's degrees of data parallelism:
// replicate·shard = DP, where FSDP splits over shard·CP ranks.
func titanDegrees(l *strategies.Layout, d *Document) (replicate, shard int) {
	if l.Zero == 0 {
		return l.DP, 1
	}
	if l.Shard%l.CP != 0 {
		d.cannot("shard", "shard=%d: FSDP splits over data_parallel_shard_degree × cp, and %d does not divide by cp=%d", l.Shard, l.Shard, l.CP)
		return 1, l.DP
	}
	shard = l.Shard / l.CP
	return l.DP / shard, shard
}

// titanReshard is fsdp_reshard_after_forward: whether parameters are freed
// after the forward pass. Its "default" frees them unless there is a pipeline.
func titanReshard(p *Plan) string {
	if p.Layout.Zero < 3 {
		return "never"
	}
	return "always"
}

// titanSchedule is the name of a pipeline schedule.
func titanSchedule(s strategies.Schedule, d *Document) string {
	switch s {
	case strategies.Interleaved:
		return "Interleaved1F1B"
	case strategies.GPipe:
		return "GPipe"
	case strategies.ZBH1:
		d.cannot("schedule", "schedule=zb-h1: torchtitan has InterleavedZeroBubble and ZBVZeroBubble, not ZB-H1; 1F1B is written")
	}
	return "1F1B"
}

// titanStages returns layers per virtual stage, and by how much the first and
// last stage have less. torchtitan counts embedding and head as one layer each
// unless told 0.
func titanStages(p *Plan, d *Document) (per, first, last int) {
	l, layers := &p.Layout, p.Problem.Model.Layers()
	stages := l.PP * l.VPP
	if l.First == 0 && l.Last == 0 {
		return (layers + stages - 1) / stages, 0, 0
	}
	if l.VPP > 1 {
		d.cannot("vpp,first,last", "first=%d,last=%d with vpp=%d: written for the first and last virtual stage only", l.First, l.Last, l.VPP)
	}
	rest, middle := layers, l.PP
	for _, n := range []int{l.First, l.Last} {
		if n > 0 {
			rest, middle = rest-n, middle-1
		}
	}
	per = layers
	if middle > 0 {
		per = (rest + middle*l.VPP - 1) / (middle * l.VPP)
	}
	if l.First > 0 {
		first = per - l.First/l.VPP
	}
	if l.Last > 0 {
		last = per - l.Last/l.VPP
	}
	if first < 0 || last < 0 {
		d.cannot("first,last", "first=%d,last=%d: a first or last stage of more layers than the others", l.First, l.Last)
	}
	return per, max(0, first), max(0, last)
}

// titan writes a Python function for a Trainer.Config of torchtitan's main,
// whose runs are Python functions (torchtitan/config/README.md); batches are
// counted in tokens. Check without GPUs: COMM_MODE=fake_backend.
func titan(p *Plan, d *Document) {
	l, w := &p.Layout, &p.Problem.Work
	var a assignments
	replicate, shard := titanDegrees(l, d)
	a.set("parallelism.data_parallel_replicate_degree", replicate)
	a.set("parallelism.data_parallel_shard_degree", shard)
	if l.Zero > 0 {
		a.set("parallelism.fsdp_reshard_after_forward", fmt.Sprintf("%q", titanReshard(p)))
	}
	a.set("parallelism.tensor_parallel_degree", l.TP)
	a.set("parallelism.enable_sequence_parallel", l.SP && l.TP > 1)
	a.set("parallelism.context_parallel_degree", l.CP)
	a.set("parallelism.expert_parallel_degree", l.EP)
	a.set("parallelism.pipeline_parallel_degree", l.PP)
	if l.PP > 1 {
		per, first, last := titanStages(p, d)
		a.set("parallelism.pipeline_parallel_schedule", fmt.Sprintf("%q", titanSchedule(l.Schedule, d)))
		a.set("parallelism.pipeline_parallel_layers_per_stage", per)
		a.set("parallelism.pipeline_parallel_first_stage_less_layers", first)
		a.set("parallelism.pipeline_parallel_last_stage_less_layers", last)
		a.set("parallelism.num_pp_microbatches", p.MicroBatches())
	}
	a.set("training.max_context_length", w.Seq)
	a.set("training.num_tokens_per_microbatch_per_dp_rank", l.MBS*w.Seq)
	a.set("training.num_tokens_per_train_step", w.GlobalBatch*w.Seq)
	if l.Offload == strategies.OffloadAll {
		a.set("training.enable_cpu_offload", true)
	}
	a.set("training.mixed_precision_param", fmt.Sprintf("%q", titanParam(w.Precision)))
	a.set("training.disable_cuda_graphs", true) // the trainer stops at graphs with pp or ep
	a.set("compile.enable", low(w.Precision))
	imports := titanRecompute(l, d, &a)
	titanMissing(p, d)
	titanExperts(p, d)
	titanPrecision(p, d)
	titanAssumed(p, d)
	d.assume("the model is that of the Trainer.Config given")
	d.assume("tokens of a step %d = micro-batch %d × GA %d × DP %d × sequence %d", w.GlobalBatch*w.Seq, l.MBS, p.MicroBatches(), l.DP, w.Seq)
	d.assume("check without GPUs: COMM_MODE=fake_backend NGPU=%d ./run_train.sh", l.World())
	d.Text = d.commented("# ") + "\n" + imports + "\n\ndef apply(cfg):\n    \"\"\"Set the layout on a Trainer.Config, e.g. llama3_70b() of models/llama3/config_registry.py.\"\"\"\n" + a.String() + "    return cfg\n"
}

func titanRecompute(l *strategies.Layout, d *Document, a *assignments) (imports string) {
	switch l.Recompute {
	case strategies.RecomputeNone:
		a.set("activation_checkpoint", "None")
		return ""
	case strategies.RecomputeSelective:
		a.set("activation_checkpoint", "SelectiveAC.Config()")
		d.assume("SelectiveAC keeps the outputs of every other product, as the predicted memory and time have it")
		return "from torchtitan.distributed.activation_checkpoint import SelectiveAC\n"
	}
	if l.FullLayers > 0 {
		d.cannot("recompute", "recompute=full:%d: FullAC recomputes every layer", l.FullLayers)
	}
	a.set("activation_checkpoint", "FullAC.Config()")
	return "from torchtitan.distributed.activation_checkpoint import FullAC\n"
}
