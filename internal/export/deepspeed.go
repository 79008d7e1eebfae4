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
	TrainBatch int       `json:"train_batch_size,omitempty"`
	MicroBatch int       `json:"train_micro_batch_size_per_gpu"`
	Accumulate int       `json:"gradient_accumulation_steps"`
	BF16       *dsSwitch `json:"bf16,omitempty"`
	FP16       *dsSwitch `json:"fp16,omitempty"`
	Zero       dsZero    `json:"zero_optimization"`
	Data       int       `json:"data_parallel_size,omitempty"`
	Sequence   int       `json:"sequence_parallel_size,omitempty"`
	Tensor     *dsTensor `json:"tensor_parallel,omitempty"`
	Experts    *dsExpert `json:"expert_parallel,omitempty"`
	Checkpoint *dsCkpt   `json:"activation_checkpointing,omitempty"`
}

type dsSwitch struct {
	Enabled bool `json:"enabled"`
}

type dsTensor struct {
	AutoTP int `json:"autotp_size"`
}

type dsExpert struct {
	Enabled bool `json:"enabled"`
	AutoEP  int  `json:"autoep_size"`
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
	dsRecompute(&c, p, d)
	reduce, prefetch, keep := AutoBuckets(p.Problem.Model.Hidden)
	d.assume("buckets are DeepSpeed's defaults; \"auto\" under the Hugging Face Trainer would be %d, %d and %d at hidden size %d", reduce, prefetch, keep, p.Problem.Model.Hidden)
	dsAssumed(p, d)
	d.assume("the batch %d = micro-batch %d × gradient accumulation %d × DP %d", w.GlobalBatch, l.MBS, p.MicroBatches(), l.DP)
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
