package diagnose

import (
	"encoding/json"
	"fmt"
	"math"

	"planner/internal/catalog"
)

// value is a setting of a DeepSpeed JSON: a number, "auto" or a switch.
type value struct {
	set, auto bool
	isSwitch  bool // true or false
	number    int
	on        bool   // true, or 1 as DeepSpeed's pydantic takes it
	fault     string // what is wrong with it, "" where nothing is
}

// UnmarshalJSON reads 8, 5e8, "auto", true. It keeps the fault of what is none
// of these, for check to say with the name of the key.
func (v *value) UnmarshalJSON(text []byte) error {
	*v = value{set: true}
	var number float64
	switch {
	case string(text) == "null":
		*v = value{}
	case string(text) == `"auto"`:
		v.auto = true
	case json.Unmarshal(text, &v.on) == nil:
		v.isSwitch = true
	case json.Unmarshal(text, &number) != nil:
		v.fault = fmt.Sprintf(`%.40s: want a number, true, false or "auto"`, text)
	case number != math.Trunc(number) || math.Abs(number) > unbounded:
		v.fault = fmt.Sprintf(`%s: not a whole number: want one, or "auto"`, text)
	default:
		v.number, v.on = int(number), number == 1
	}
	return nil
}

// setting is a value under its dotted key: a number of low to high, or with
// high 0 a switch.
type setting struct {
	key       string
	v         *value
	low, high int
}

// unbounded is the largest whole number that a JSON number holds exactly.
const unbounded = 1 << 53

func (f *dsFile) settings() []setting {
	z := &f.Zero
	all := []setting{
		{"train_batch_size", &f.TrainBatch, 1, 1 << 30}, {"train_micro_batch_size_per_gpu", &f.MicroBatch, 1, 1 << 20},
		{"gradient_accumulation_steps", &f.Accumulate, 1, 1 << 30}, {"sequence_parallel_size", &f.Sequence, 0, 1 << 20},
		{"tensor_parallel.autotp_size", &f.Tensor.AutoTP, 0, 1 << 20},
		{"expert_parallel.enabled", &f.Experts.Enabled, 0, 0}, {"expert_parallel.autoep_size", &f.Experts.AutoEP, 0, 1 << 20},
		{"activation_checkpointing.number_checkpoints", &f.Checkpoint.Number, 0, 1 << 16}, {"zero_optimization.stage", &z.Stage, 0, 3},
		{"zero_optimization.overlap_comm", &z.Overlap, 0, 0}, {"zero_optimization.reduce_bucket_size", &z.Bucket, 0, unbounded},
		{"zero_optimization.stage3_prefetch_bucket_size", &z.Prefetch, 0, unbounded},
		{"zero_optimization.stage3_param_persistence_threshold", &z.Persist, 0, unbounded},
		{"zero_optimization.zero_hpz_partition_size", &z.HPZ, 0, 1 << 20}, {"zero_optimization.mics_shard_size", &z.MiCS, -1, 1 << 20},
		{"zero_optimization.cpu_offload", &z.OldCPU, 0, 0},
	}
	for _, e := range []struct {
		key string
		v   *dsEnabled
	}{{"bf16", f.BF16}, {"bfloat16", f.BFloat16}, {"fp16", f.FP16}} {
		if e.v != nil {
			all = append(all, setting{e.key + ".enabled", &e.v.Enabled, 0, 0})
		}
	}
	return all
}

// check refuses values that DeepSpeed would not take.
func (f *dsFile) check(name string) error {
	for _, s := range f.settings() {
		switch v := s.v; {
		case v.fault != "":
			return catalog.Errorf("%s: %s: %s", name, s.key, v.fault)
		case !v.set || v.auto:
		case s.high == 0 && !v.isSwitch && v.number != 0 && v.number != 1:
			return catalog.Errorf("%s: %s %d: not a switch: want true, false or \"auto\"", name, s.key, v.number)
		case s.high == 0:
		case v.isSwitch:
			return catalog.Errorf("%s: %s %t: not a whole number: want one, or \"auto\"", name, s.key, v.on)
		case s.key == "zero_optimization.stage" && (v.number < s.low || v.number > s.high):
			return catalog.Errorf("%s: %s %d: no such stage: want 0, 1, 2 or 3", name, s.key, v.number)
		case v.number < s.low || v.number > s.high:
			return catalog.Errorf("%s: %s %d: out of range: want %d to %d or \"auto\"", name, s.key, v.number, max(s.low, 0), s.high)
		}
	}
	return nil
}
