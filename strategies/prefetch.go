package strategies

// gathersPerLayer returns the calls that gather a layer, on average over the
// model: one, or with DeepSpeed those that its prefetching makes. After each
// module it takes matrices off the trace of the pass until they reach
// stage3_prefetch_bucket_size, and gathers those in one call
// (partitioned_param_coordinator.py, fetch_sub_module, at edaa722).
func (s *site) gathersPerLayer() float64 {
	bucket := s.prof.Comm.Prefetch
	if bucket == 0 {
		return 1
	}
	m, calls, filled := s.p.Model, 0, 0
	for _, k := range m.Pattern {
		for _, n := range m.Kinds[k].Matrices(m.Hidden) {
			if filled += int(n) / s.l.TP; filled >= bucket {
				calls, filled = calls+1, 0
			}
		}
	}
	if filled > 0 {
		calls++
	}
	return float64(calls) / float64(m.Layers())
}
