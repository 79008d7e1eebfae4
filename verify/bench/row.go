package bench

import (
	"slices"

	"planner/costmodel/collective"
	"planner/verify/reduce"
)

// Row is one size of one operation.
type Row struct {
	Op        string  `json:"op"`
	Size      int     `json:"bytes"`
	Count     int     `json:"count"` // as passed to NCCL: of a piece where the call has pieces
	Type      string  `json:"type"`  // as nccl-tests spells it
	Redop     string  `json:"redop"`
	Root      int     `json:"root"`
	Out       Timing  `json:"out_of_place"`
	In        *Timing `json:"in_place"` // nil where the call cannot run in place
	Algorithm string  `json:"algorithm"`
	Predicted float64 `json:"predicted_us"`
	Repeated  int     `json:"repeated"` // rounds thrown away because the machine was disturbed
	Noisy     bool    `json:"noisy"`    // the last round was disturbed too
}

// Timing is what iterations took, microseconds and GB/s.
type Timing struct {
	Time  float64 `json:"time_us"` // median
	AlgBW float64 `json:"algbw"`
	BusBW float64 `json:"busbw"`
	Wrong int     `json:"wrong"`
	Min   float64 `json:"min_us"`
	P95   float64 `json:"p95_us"`
	Iters int     `json:"iters"`
}

// ncclTypes are the names of nccl-tests (src/common.cu).
var ncclTypes = [reduce.NumDTypes]string{reduce.F32: "float", reduce.F64: "double", reduce.F16: "half",
	reduce.BF16: "bfloat16", reduce.I32: "int32"}

// Summary closes a table.
type Summary struct {
	BusBW    float64 `json:"average_busbw"`
	Wrong    int     `json:"wrong"`
	Moved    float64 `json:"sentinel_moved"` // largest move between rounds, relative
	Repeated int     `json:"rounds_repeated"`
	Noisy    int     `json:"noisy_rows"`
	Load     string  `json:"load_average"`
	Busiest  string  `json:"busiest_other_process,omitempty"` // on rank 0's host, if it took a share of a core
}

func (s *Summary) add(rows []Row) {
	n := 0
	for _, r := range rows {
		for _, t := range []*Timing{&r.Out, r.In} {
			if t != nil {
				s.BusBW += t.BusBW
				s.Wrong += t.Wrong
				n++
			}
		}
		s.Repeated += r.Repeated
		if r.Noisy {
			s.Noisy++
		}
	}
	if n > 0 {
		s.BusBW /= float64(n)
	}
}

func newTiming(op collective.Op, us []float64, bytes, ranks, wrong int) Timing {
	t := Timing{Time: quantile(us, 0.5), Min: quantile(us, 0), P95: quantile(us, 0.95), Wrong: wrong, Iters: len(us)}
	if t.Time > 0 {
		t.AlgBW = float64(bytes) / t.Time / 1e3
		t.BusBW = t.AlgBW * op.BusFactor(ranks)
	}
	return t
}

// quantile returns the q-quantile of sorted values, the nearest rank.
func quantile(sorted []float64, q float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[min(int(q*float64(len(sorted))), len(sorted)-1)]
}

// spread returns the least, median and largest of values.
func spread(v []float64) (low, mid, high float64) {
	s := slices.Sorted(slices.Values(v))
	return quantile(s, 0), quantile(s, 0.5), s[len(s)-1]
}
