package export

import (
	"bytes"
	"encoding/json"

	"planner/hardware"
	"planner/strategies"
)

// dsConfig is the part of ds_config.json that a layout decides, in the order
// in which it is written (deepspeed/runtime/{constants,zero/config}.py).
type dsConfig struct {
	TrainBatch int       `json:"train_batch_size"`
	MicroBatch int       `json:"train_micro_batch_size_per_gpu"`
	Accumulate int       `json:"gradient_accumulation_steps"`
	BF16       *dsSwitch `json:"bf16,omitempty"`
	FP16       *dsSwitch `json:"fp16,omitempty"`
	Zero       dsZero    `json:"zero_optimization"`
	Sequence   int       `json:"sequence_parallel_size,omitempty"`
	Tensor     *dsTensor `json:"tensor_parallel,omitempty"`
	Checkpoint *dsCkpt   `json:"activation_checkpointing,omitempty"`
}

type dsSwitch struct {
	Enabled bool `json:"enabled"`
}

type dsTensor struct {
	AutoTP int `json:"autotp_size"`
}

type dsCkpt struct {
	Partition  bool `json:"partition_activations"`
	CPU        bool `json:"cpu_checkpointing"`
	Contiguous bool `json:"contiguous_memory_optimization"`
	Number     int  `json:"number_checkpoints"`
}

type dsZero struct {
	Stage      int        `json:"stage"`
	Overlap    bool       `json:"overlap_comm"`
	Contiguous bool       `json:"contiguous_gradients"`
	Reduce     int        `json:"reduce_bucket_size"`
	Gather     int        `json:"allgather_bucket_size,omitempty"`
	Prefetch   int        `json:"stage3_prefetch_bucket_size,omitempty"`
	Persist    *int       `json:"stage3_param_persistence_threshold,omitempty"`
	Live       int        `json:"stage3_max_live_parameters,omitempty"`
	Reuse      int        `json:"stage3_max_reuse_distance,omitempty"`
	HPZ        int        `json:"zero_hpz_partition_size,omitempty"`
	MiCS       int        `json:"mics_shard_size,omitempty"`
	Optimizer  *dsOffload `json:"offload_optimizer,omitempty"`
	Param      *dsOffload `json:"offload_param,omitempty"`
}

type dsOffload struct {
	Device string `json:"device"`
	Pin    bool   `json:"pin_memory"`
}

// AutoBuckets returns what "auto" stands for under the Hugging Face Trainer at
// a hidden size: reduce_bucket_size h², stage3_prefetch_bucket_size 0.9·h² and
// stage3_param_persistence_threshold 10·h, in elements
// (transformers/integrations/deepspeed.py; log of huggingface/peft#877).
func AutoBuckets(hidden int) (reduce, prefetch, persist int) {
	return hidden * hidden, hidden * hidden * 9 / 10, 10 * hidden
}

// deepspeed writes ds_config.json, every value resolved: no "auto".
func deepspeed(p *Plan, d *Document) {
	l, w := &p.Layout, &p.Problem.Work
	var comm strategies.Comm // of the profile where it is DeepSpeed's own; else its defaults
	if p.Profile.Name == "deepspeed" {
		comm = p.Profile.Comm
	}
	d.Comments = false
	c := dsConfig{TrainBatch: w.GlobalBatch, MicroBatch: l.MBS, Accumulate: p.MicroBatches(), Zero: dsZero{
		Stage: l.Zero, Overlap: true, Contiguous: true, Reduce: or(comm.Bucket, 500_000_000), HPZ: l.HPZ,
	}}
	switch l.Zero {
	case 1, 2:
		c.Zero.Gather = or(comm.GatherBucket, 500_000_000)
	case 3:
		persist := or(comm.Persist, 100_000)
		c.Zero.Prefetch, c.Zero.Persist = or(comm.Prefetch, 50_000_000), &persist
		c.Zero.Live, c.Zero.Reuse = 1_000_000_000, or(comm.Reuse, 1_000_000_000)
		if l.Shard < l.DataRanks() {
			c.Zero.MiCS = l.Shard
		}
	}
	dsPrecision(&c, w.Precision, d)
	dsOffloads(&c, l, d)
	dsParallel(&c, p, d)
	reduce, prefetch, keep := AutoBuckets(p.Problem.Model.Hidden)
	d.assume("buckets are DeepSpeed's defaults; \"auto\" under the Hugging Face Trainer would be %d, %d and %d at hidden size %d", reduce, prefetch, keep, p.Problem.Model.Hidden)
	d.assume("the model and its sequences of %d tokens are your script's", w.Seq)
	d.assume("train_batch_size %d = micro-batch %d × gradient accumulation %d × DP %d", w.GlobalBatch, l.MBS, p.MicroBatches(), l.DP)
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetIndent("", "  ")
	if err := e.Encode(c); err != nil {
		panic(err) // plain numbers and strings: a fault of ours
	}
	d.Text = b.String()
}

func or(v, def int) int {
	if v > 0 {
		return v
	}
	return def
}

func dsPrecision(c *dsConfig, w hardware.Precision, d *Document) {
	switch w {
	case hardware.BF16:
		c.BF16 = &dsSwitch{true}
	case hardware.FP16:
		c.FP16 = &dsSwitch{true}
	case hardware.FP32:
		d.assume("fp32 is the default: no precision section")
	default:
		c.BF16 = &dsSwitch{true}
		d.missing("precision %s: bf16 is written; products in it are a matter of the model's layers (Transformer Engine)", w)
	}
}

func dsOffloads(c *dsConfig, l *strategies.Layout, d *Document) {
	if l.Offload != strategies.OffloadNone {
		c.Zero.Optimizer = &dsOffload{"cpu", true}
	}
	if l.Offload == strategies.OffloadAll {
		c.Zero.Param = &dsOffload{"cpu", true}
	}
	if l.HPZ > 0 {
		d.assume("zero_hpz_partition_size is the GPUs of a node: %d", l.HPZ)
		if l.Offload != strategies.OffloadNone {
			d.assume("warning: hpZ together with offload is reported broken (constant loss, zero gradient norm): LlamaFactory issue 6372")
		}
	}
}

func dsParallel(c *dsConfig, p *Plan, d *Document) {
	l := &p.Layout
	if l.CP > 1 {
		c.Sequence = l.CP
		if l.CPKind != strategies.CPA2A {
			d.cannot("cpkind", "cpkind=%s: DeepSpeed splits sequences by Ulysses (cpkind=a2a)", l.CPKind)
		}
	}
	if l.TP > 1 {
		c.Tensor = &dsTensor{l.TP}
	}
	if l.TP > 1 && l.SP {
		d.cannot("sp", "sp: AutoTP keeps the sequence whole between products")
	}
	if l.Zero > 0 && l.Zero < 3 && l.Shard < l.DataRanks() {
		d.cannot("shard", "shard=%d: mics_shard_size holds for zero=3 alone", l.Shard)
	}
	if l.PP > 1 {
		d.refuse("pp", "pp=%d: PipelineModule(num_stages=%d) in your model code, no setting: by the file alone the batch is that of %d of %d processes: use pp=1",
			l.PP, l.PP, l.World()/l.PP, l.World())
	}
	if l.VPP > 1 {
		d.cannot("vpp", "vpp=%d: the pipeline engine has no virtual stages", l.VPP)
	}
	if l.EP > 1 {
		d.cannot("ep", "ep=%d: MoE(ep_size=%d) in your model code, not a setting", l.EP, l.EP)
	}
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
