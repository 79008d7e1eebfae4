package export

import (
	"fmt"
	"strings"

	"planner/hardware"
	"planner/strategies"
)

// layerClasses are the Transformers layer to wrap, by model_type.
var layerClasses = map[string]string{
	"llama": "LlamaDecoderLayer", "mistral": "MistralDecoderLayer", "mixtral": "MixtralDecoderLayer",
	"qwen2": "Qwen2DecoderLayer", "qwen3": "Qwen3DecoderLayer", "qwen3_moe": "Qwen3MoeDecoderLayer",
	"gpt_neox": "GPTNeoXLayer", "gpt2": "GPT2Block", "falcon": "FalconDecoderLayer", "phi3": "Phi3DecoderLayer",
	"gemma": "GemmaDecoderLayer", "gemma2": "Gemma2DecoderLayer", "deepseek_v3": "DeepseekV3DecoderLayer",
	"opt": "OPTDecoderLayer", "bloom": "BloomBlock", "gpt_oss": "GptOssDecoderLayer",
}

// accelerate writes the YAML of `accelerate launch --config_file`: FSDP2 with
// its parallelism_config (src/accelerate/parallelism_config.py).
func accelerate(p *Plan, d *Document) {
	l, c, w := &p.Layout, p.Problem.Cluster, &p.Problem.Work
	var b strings.Builder
	put := func(key string, value any) {
		b.WriteString(strings.TrimRight(fmt.Sprintf("%s: %v", key, value), " ") + "\n")
	}
	kind := "FSDP"
	if l.Zero == 0 && l.TP == 1 && l.CP == 1 {
		kind = "MULTI_GPU"
	}
	put("compute_environment", "LOCAL_MACHINE")
	put("distributed_type", kind)
	put("mixed_precision", accelerateType(w.Precision, d))
	put("num_machines", c.Nodes())
	put("num_processes", c.GPUs)
	put("machine_rank", 0)
	put("main_training_function", "main")
	put("rdzv_backend", "c10d")
	put("same_network", true)
	put("use_cpu", false)
	if kind == "FSDP" {
		accelerateFSDP(p, d, put)
		accelerateDegrees(p, d, put)
	}
	accelerateMissing(l, d)
	accelerateAssumed(p, d)
	d.assume("the batch is your script's: per_device_train_batch_size=%d, gradient_accumulation_steps=%d (%d × %d × DP %d = %d)",
		l.MBS, p.MicroBatches(), l.MBS, p.MicroBatches(), l.DP, w.GlobalBatch)
	d.Text = d.commented("# ") + b.String()
}

func accelerateType(w hardware.Precision, d *Document) string {
	switch w {
	case hardware.BF16:
		return "bf16"
	case hardware.FP16:
		return "fp16"
	case hardware.FP32:
		return `"no"`
	}
	d.missing("precision %s: mixed_precision fp8 is written; its recipe is fp8_config's", w)
	return "fp8"
}

func accelerateFSDP(p *Plan, d *Document, put func(string, any)) {
	l := &p.Layout
	put("fsdp_config", "")
	put("  fsdp_version", 2)
	put("  fsdp_reshard_after_forward", l.Zero == 3)
	class, ok := layerClasses[p.Problem.Model.Family]
	if ok {
		put("  fsdp_auto_wrap_policy", "TRANSFORMER_BASED_WRAP")
		put("  fsdp_transformer_layer_cls_to_wrap", class)
	} else {
		d.missing("the layer class of %s: set fsdp_auto_wrap_policy and fsdp_transformer_layer_cls_to_wrap", p.Problem.Model.Name)
	}
	put("  fsdp_activation_checkpointing", l.Recompute == strategies.RecomputeFull)
	put("  fsdp_offload_params", l.Offload == strategies.OffloadAll)
	put("  fsdp_state_dict_type", "SHARDED_STATE_DICT")
}

// accelerateDegrees writes the mesh. dp_replicate > 1 with dp_shard = 1 is
// refused by accelerate.
func accelerateDegrees(p *Plan, d *Document, put func(string, any)) {
	l := &p.Layout
	replicate, shard := titanDegrees(l, d)
	if replicate > 1 && shard == 1 {
		d.refuse("zero", "zero=%d: accelerate wants dp_shard > 1 where dp_replicate > 1, beside tp or cp: use zero=2 or 3", l.Zero)
	}
	put("parallelism_config", "")
	put("  parallelism_config_dp_replicate_size", replicate)
	put("  parallelism_config_dp_shard_size", shard)
	put("  parallelism_config_tp_size", l.TP)
	switch {
	case l.CP > 1 && l.CPKind == strategies.CPA2A:
		put("  parallelism_config_sp_size", l.CP)
		put("  parallelism_config_sp_backend", "deepspeed")
		d.assume("Ulysses runs on DeepSpeed's backend")
	case l.CP > 1:
		put("  parallelism_config_cp_size", l.CP)
		put("  parallelism_config_cp_comm_strategy", ringMethod(l.CPKind))
	}
}

func accelerateMissing(l *strategies.Layout, d *Document) {
	if l.PP > 1 {
		d.refuse("pp,vpp", "pp=%d: accelerate trains without a pipeline, its mesh would be %d of %d processes: use pp=1", l.PP, l.World()/l.PP, l.World())
	}
	if l.Zero == 1 {
		d.cannot("zero", "zero=1: FSDP has no stage that splits the optimizer alone; zero=2 is written")
	}
	if l.EP > 1 {
		d.cannot("ep", "ep=%d: not a setting of parallelism_config", l.EP)
	}
	if l.TP > 1 && l.SP {
		d.cannot("sp", "sp: whether norms split the sequence is the model's TP plan, not a setting")
	}
	switch {
	case l.Recompute == strategies.RecomputeSelective:
		d.cannot("recompute", "recompute=selective: fsdp_activation_checkpointing recomputes whole layers; false is written")
	case l.FullLayers > 0:
		d.cannot("recompute", "recompute=full:%d: fsdp_activation_checkpointing recomputes every layer", l.FullLayers)
	}
	if l.Offload == strategies.OffloadOptimizer {
		d.cannot("offload", "offload=optimizer: fsdp_offload_params moves parameters and optimizer together; false is written")
	}
	if l.HPZ > 0 {
		d.cannot("hpz", "hpz=%d: use shard for HSDP instead", l.HPZ)
	}
}

// ringMethod is cp_comm_strategy, the exchange of keys and values: "alltoall"
// passes them round the ring.
func ringMethod(k strategies.CPKind) string {
	if k == strategies.CPAllGather {
		return "allgather"
	}
	return "alltoall"
}
