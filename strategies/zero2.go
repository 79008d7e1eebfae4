package strategies

// ZeRO-2 (Rajbhandari et al. 2020, section 5.2) also splits the gradients, so
// they are reduced as they appear: DeepSpeed communicates every micro-batch
// (runtime/engine.py:2902-2904 at edaa722), (2m+1) units against 2 for a
// framework that accumulates first. FSDP's stage 2 keeps the parameters
// gathered between the passes and is issued layer by layer: see zero3.

func (s *site) zero2(t *stateTally, g *group, first bool) {
	s.reduceGradients(t, g, first)
	s.gatherParameters(t, g, first)
}
