package strategies

import "planner/costmodel"

// GathersPerLayer returns the calls by which ZeRO-3 gathers a layer, on average
// over a model on tp ranks: one, or with DeepSpeed those that its prefetching
// makes. After each module it takes matrices off the trace of the pass until
// they reach stage3_prefetch_bucket_size, and gathers those in one call
// (partitioned_param_coordinator.py, fetch_sub_module, at edaa722).
func (f *Profile) GathersPerLayer(m *costmodel.Model, tp int) float64 {
	bucket := f.Comm.Prefetch
	if bucket == 0 {
		return 1
	}
	calls, filled := 0, 0
	for _, k := range m.Pattern {
		for _, n := range m.Kinds[k].Matrices(m.Hidden) {
			if filled += int(n) / tp; filled >= bucket {
				calls, filled = calls+1, 0
			}
		}
	}
	if filled > 0 {
		calls++
	}
	return float64(calls) / float64(m.Layers())
}
