package diagnose

import (
	"encoding/json"
	"fmt"
	"strings"

	"planner/internal/catalog"
	"planner/internal/export"
	"planner/strategies"
)

// dsFile is the part of ds_config.json that a layout depends on.
type dsFile struct {
	TrainBatch value      `json:"train_batch_size"`
	MicroBatch value      `json:"train_micro_batch_size_per_gpu"`
	Accumulate value      `json:"gradient_accumulation_steps"`
	BF16       *dsEnabled `json:"bf16"`
	BFloat16   *dsEnabled `json:"bfloat16"`
	FP16       *dsEnabled `json:"fp16"`
	Zero       dsZero     `json:"zero_optimization"`
	Sequence   value      `json:"sequence_parallel_size"`
	Tensor     struct {
		AutoTP value `json:"autotp_size"`
	} `json:"tensor_parallel"`
	Experts struct {
		Enabled value `json:"enabled"`
		AutoEP  value `json:"autoep_size"`
	} `json:"expert_parallel"`
	Checkpoint struct {
		Number value `json:"number_checkpoints"`
	} `json:"activation_checkpointing"`
}

type dsEnabled struct {
	Enabled value `json:"enabled"`
}

type dsZero struct {
	Stage     value      `json:"stage"`
	Overlap   value      `json:"overlap_comm"`
	Bucket    value      `json:"reduce_bucket_size"`
	Prefetch  value      `json:"stage3_prefetch_bucket_size"`
	Persist   value      `json:"stage3_param_persistence_threshold"`
	HPZ       value      `json:"zero_hpz_partition_size"`
	MiCS      value      `json:"mics_shard_size"`
	OldCPU    value      `json:"cpu_offload"`
	Optimizer *dsOffload `json:"offload_optimizer"`
	Param     *dsOffload `json:"offload_param"`
}

type dsOffload struct {
	Device string `json:"device"`
}

func (o *dsOffload) on() bool { return o != nil && o.Device != "" && o.Device != "none" }

func parseDeepSpeed(name string, text []byte) (*Config, error) {
	var f dsFile
	if err := json.Unmarshal(text, &f); err != nil {
		return nil, catalog.JSONFault(name, "a DeepSpeed configuration", text, err)
	}
	if err := f.check(name); err != nil {
		return nil, err
	}
	c := &Config{Kind: "DeepSpeed JSON", Framework: "deepspeed", GlobalBatch: f.TrainBatch.number, Accumulate: f.Accumulate.number,
		Bucket: f.Zero.Bucket.number}
	l := &c.Layout
	l.Zero, l.MBS, l.TP, l.CP = f.Zero.Stage.number, f.MicroBatch.number, f.Tensor.AutoTP.number, f.Sequence.number
	if l.CP > 1 {
		l.CPKind = strategies.CPA2A
	}
	if f.Experts.Enabled.on && f.Experts.AutoEP.number > 1 {
		l.EP, l.ETP = f.Experts.AutoEP.number, 1 // AutoEP keeps experts whole
	}
	if n := f.Checkpoint.Number.number; n > 0 {
		l.Recompute, l.FullLayers = strategies.RecomputeFull, n
		c.note("activation_checkpointing: read as full recomputation, which the model's code calls")
	}
	f.precision(c)
	f.zero(c)
	f.autos(c)
	f.batch(c, name)
	return c, nil
}

func (f *dsFile) precision(c *Config) {
	on := func(e *dsEnabled) bool { return e != nil && (e.Enabled.on || e.Enabled.auto) }
	switch {
	case on(f.BF16) || on(f.BFloat16):
		c.Precision = "bf16"
	case on(f.FP16):
		c.Precision = "fp16"
	default:
		c.Precision = "fp32"
		c.note("no bf16 or fp16 section: DeepSpeed trains in fp32")
	}
}

func (f *dsFile) zero(c *Config) {
	z, l := &f.Zero, &c.Layout
	overlap := z.Overlap.on
	if !z.Overlap.set || z.Overlap.auto {
		overlap = l.Zero == 3 // the default of stage 3 alone
	}
	c.Overlap = &overlap
	switch {
	case z.Param.on() && l.Zero == 3:
		l.Offload = strategies.OffloadAll
	case z.Optimizer.on() || z.OldCPU.on:
		l.Offload = strategies.OffloadOptimizer
	}
	if z.OldCPU.set {
		c.find("cpu_offload", "deprecated: use offload_optimizer {device: cpu}")
	}
	l.HPZ, l.Shard = max(0, z.HPZ.number), max(0, z.MiCS.number)
	if l.HPZ == 1 {
		l.HPZ = 0
	}
	if l.HPZ > 0 && l.Offload != strategies.OffloadNone {
		c.find("zero_hpz_partition_size", "hpZ together with offload is reported broken (constant loss, zero gradient norm): LlamaFactory issue 6372")
	}
	if f.Zero.Persist.set && !f.Zero.Persist.auto && l.Zero == 3 && f.Zero.Persist.number == 0 {
		c.find("stage3_param_persistence_threshold", "0: even norms and biases are gathered one by one for every micro-batch; the default is 100000 elements")
	}
}

// autos lists what the Hugging Face Trainer will fill in.
func (f *dsFile) autos(c *Config) {
	for _, a := range []struct {
		key string
		v   value
	}{{"train_batch_size", f.TrainBatch}, {"train_micro_batch_size_per_gpu", f.MicroBatch}, {"gradient_accumulation_steps", f.Accumulate},
		{"reduce_bucket_size", f.Zero.Bucket}, {"stage3_prefetch_bucket_size", f.Zero.Prefetch}, {"stage3_param_persistence_threshold", f.Zero.Persist}} {
		if a.v.auto {
			c.Autos = append(c.Autos, a.key)
		}
	}
}

// resolveAutos says what "auto" becomes for a hidden size.
func (c *Config) resolveAutos(hidden int) {
	reduce, prefetch, persist := export.AutoBuckets(hidden)
	for _, key := range c.Autos {
		v, ok := map[string]int{"reduce_bucket_size": reduce, "stage3_prefetch_bucket_size": prefetch, "stage3_param_persistence_threshold": persist}[key]
		switch {
		case ok:
			c.note(fmt.Sprintf("%s: auto = %d at hidden size %d", key, v, hidden))
			if key == "reduce_bucket_size" {
				c.Bucket = v
			}
		default:
			c.note(key + ": auto: the launcher's arguments decide")
		}
	}
}

// batch completes train_batch = micro · accumulation · DP. DP is known where
// all three are given, and only then implies GPUs.
func (f *dsFile) batch(c *Config, name string) {
	b, m, g := f.TrainBatch.number, f.MicroBatch.number, f.Accumulate.number
	if b > 0 && m > 0 && g > 0 {
		if b%(m*g) != 0 {
			low := b / (m * g) * m * g
			c.mismatch = catalog.Errorf("%s: train_batch_size %d: not a multiple of micro-batch %d × accumulation %d = %d: use %s", name, b, m, g, m*g, either(low, low+m*g))
			return
		}
		c.GPUs = b / (m * g) * max(1, c.Layout.TP) * max(1, c.Layout.CP)
		c.note(fmt.Sprintf("train_batch_size %d = micro-batch %d × accumulation %d × DP %d", b, m, g, b/(m*g)))
	}
}

func either(low, high int) string {
	if low <= 0 {
		return fmt.Sprint(high)
	}
	return fmt.Sprintf("%d or %d", low, high)
}

// Batch checks train_batch = micro · accumulation · DP for a known DP, as
// DeepSpeed asserts at its start, and names the nearest values that hold.
func Batch(batch, micro, accumulate, dp int) error {
	if batch == micro*accumulate*dp {
		return nil
	}
	each := micro * dp
	fix := []string{}
	if batch%(micro*accumulate) == 0 {
		fix = append(fix, fmt.Sprintf("DP %d", batch/(micro*accumulate)))
	}
	if batch%each == 0 {
		fix = append(fix, fmt.Sprintf("gradient_accumulation_steps %d", batch/each))
	}
	if batch%(accumulate*dp) == 0 {
		fix = append(fix, fmt.Sprintf("train_micro_batch_size_per_gpu %d", batch/(accumulate*dp)))
	}
	if len(fix) == 0 {
		low := batch / each * each
		fix = append(fix, "train_batch_size "+either(low, low+each))
	}
	return catalog.Errorf("train_batch_size %d: not micro-batch %d × accumulation %d × DP %d = %d: use %s", batch, micro, accumulate, dp, micro*accumulate*dp, strings.Join(fix, ", or "))
}
