package export

import (
	"fmt"
	"strings"

	"planner/costmodel"
	"planner/strategies"
)

// titanTOML writes the TOML of torchtitan v0.2.2 (torchtitan/config/
// job_config.py), the last form before main dropped it. A pipeline takes its
// micro-batches out of local_batch_size.
func titanTOML(p *Plan, d *Document) {
	l, w := &p.Layout, &p.Problem.Work
	local, ga := l.MBS, p.MicroBatches()
	if l.PP > 1 {
		local = l.MBS * ga
	}
	var b strings.Builder
	put := func(key string, value any) { fmt.Fprintf(&b, "%s = %v\n", key, value) }
	name, flavor := titanModel(p.Problem.Model, d)
	fmt.Fprintf(&b, "\n[model]\nname = %q\nflavor = %q\n", name, flavor)
	titanConverters(p, d, &b)
	b.WriteString("\n[training]\n")
	put("local_batch_size", local)
	put("global_batch_size", w.GlobalBatch)
	put("seq_len", w.Seq)
	put("mixed_precision_param", fmt.Sprintf("%q", titanParam(w.Precision)))
	if l.Offload == strategies.OffloadAll {
		put("enable_cpu_offload", true)
	}
	b.WriteString("\n[parallelism]\n")
	replicate, shard := titanDegrees(l, d)
	put("data_parallel_replicate_degree", replicate)
	put("data_parallel_shard_degree", shard)
	if l.Zero > 0 {
		put("fsdp_reshard_after_forward", fmt.Sprintf("%q", titanReshard(p)))
	}
	put("tensor_parallel_degree", l.TP)
	titanTOMLParallel(p, d, put)
	if l.TP > 1 && !l.SP {
		d.cannot("sp", "sp=false: v0.2.2 always splits the sequence with tp")
	}
	titanTOMLCheckpoint(l, d, &b)
	compiled := titanCompiles(p)
	fmt.Fprintf(&b, "\n[compile]\nenable = %t\n", compiled)
	titanMissing(p, d)
	titanReplicates(l, d)
	titanCompiled(p, compiled, d)
	d.assume("global batch %d = local batch %d × accumulation %d × DP %d", w.GlobalBatch, local, w.GlobalBatch/(local*l.DP), l.DP)
	d.Text = d.commented("# ") + b.String()
}

func titanTOMLParallel(p *Plan, d *Document, put func(string, any)) {
	l := &p.Layout
	put("context_parallel_degree", l.CP)
	put("pipeline_parallel_degree", l.PP)
	if l.PP > 1 {
		per, first, last := titanStages(p, d)
		put("pipeline_parallel_schedule", fmt.Sprintf("%q", titanSchedule(l.Schedule, d)))
		put("pipeline_parallel_microbatch_size", l.MBS)
		put("pipeline_parallel_layers_per_stage", per)
		put("pipeline_parallel_first_stage_less_layers", first)
		put("pipeline_parallel_last_stage_less_layers", last)
	}
	if p.Problem.Model.Experts() > 0 {
		put("expert_parallel_degree", l.EP)
		put("expert_tensor_parallel_degree", l.ETP)
	}
}

// titanTOMLCheckpoint writes what is recomputed, as the figures have it: chosen
// by operation rather than every second layer, and no further than the last
// product of a layer; both are other defaults in job_config.py.
func titanTOMLCheckpoint(l *strategies.Layout, d *Document, b *strings.Builder) {
	fmt.Fprintf(b, "\n[activation_checkpoint]\nmode = %q\n", l.Recompute)
	if l.FullLayers > 0 {
		d.cannot("recompute", "recompute=full:%d: mode full recomputes every layer", l.FullLayers)
	}
	if l.Recompute == strategies.RecomputeSelective {
		b.WriteString("selective_ac_option = \"op\"\n")
	}
	if l.Recompute == strategies.RecomputeFull {
		b.WriteString("early_stop = true\n")
	}
}

// titanModels are the name and flavor of v0.2.2 by preset.
var titanModels = map[string][2]string{
	"llama3.1-8b": {"llama3", "8B"}, "llama3-8b": {"llama3", "8B"}, "llama3.1-70b": {"llama3", "70B"},
	"llama3-70b": {"llama3", "70B"}, "llama3.1-405b": {"llama3", "405B"},
	"qwen3-0.6b": {"qwen3", "0.6B"}, "qwen3-1.7b": {"qwen3", "1.7B"}, "qwen3-4b": {"qwen3", "4B"}, "qwen3-8b": {"qwen3", "8B"},
	"qwen3-14b": {"qwen3", "14B"}, "qwen3-32b": {"qwen3", "32B"},
	"qwen3-30b-a3b": {"qwen3", "30B-A3B"}, "qwen3-235b-a22b": {"qwen3", "235B-A22B"},
}

func titanModel(m *costmodel.Model, d *Document) (name, flavor string) {
	if n, ok := titanModels[m.Name]; ok {
		return n[0], n[1]
	}
	d.missing("model %s: set name and flavor to one that torchtitan registers", m.Name)
	return m.Family, m.Name
}
