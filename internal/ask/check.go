package ask

import (
	"planner/hardware"
	"planner/internal/catalog"
)

// Check refuses what no question has, whatever its model and cluster are. The
// error is an *catalog.Error, of the flag.
func (q *Question) Check() error {
	if q.Model == "" {
		return catalog.Errorf("--model: missing: give a preset, a size like 70b, or a path to a config.json")
	}
	if q.GPUs == 0 {
		return catalog.Errorf("--gpus: missing: give the number of GPUs, e.g. --gpus 1024")
	}
	if err := catalog.CheckGPUs(q.GPUs); err != nil {
		return err
	}
	switch {
	case q.SeqLen < 0 || q.SeqLen > maxTokens:
		return catalog.Errorf("--seq-len %d: out of range: want 1 to %d tokens", q.SeqLen, maxTokens)
	case q.GlobalBatch < 0 || q.GlobalBatch > maxTokens:
		return catalog.Errorf("--global-batch %d: out of range: want 1 to %d sequences", q.GlobalBatch, maxTokens)
	case !(q.Trainable >= 0 && q.Trainable <= 1):
		return catalog.Errorf("--trainable %v: not a share of the parameters: want more than 0, at most 1", q.Trainable)
	case q.Imbalance != 0 && !(q.Imbalance >= 1 && q.Imbalance <= 1024):
		return catalog.Errorf("--imbalance %v: out of range: want 1 (an even load) to 1024", q.Imbalance)
	case q.Capacity != 0 && !(q.Capacity > 0 && q.Capacity <= 64):
		return catalog.Errorf("--capacity-factor %v: out of range: want more than 0, at most 64", q.Capacity)
	}
	if err := q.words(); err != nil {
		return err
	}
	if _, err := q.Limits.Space(); err != nil {
		return err
	}
	return q.Options.Check()
}

// words refuses unknown words; one that is not given is chosen later.
func (q *Question) words() error {
	if _, ok := hardware.ParsePrecision(q.Precision); !ok && q.Precision != "" {
		return notOne("--precision", q.Precision, hardware.Precisions())
	}
	if _, ok := attention(q.Attention); !ok {
		return catalog.Errorf("--attention %q: no such kernel: want flash1, flash2, flash3, triton, sdpa, te, fused-softmax or unfused", q.Attention)
	}
	switch q.Pass {
	case "", "train", "forward":
	default:
		return notOne("--pass", q.Pass, []string{"train", "forward"})
	}
	if _, err := catalog.Profiles(q.Framework); err != nil && q.Framework != "" {
		return notOne("--framework", q.Framework, catalog.Frameworks())
	}
	return nil
}
