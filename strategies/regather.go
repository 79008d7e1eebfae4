package strategies

import "math"

// gathersAgain returns how often the backward pass gathers the parameters of
// the layers and of both roots again: what was freed since their last use.
// DeepSpeed frees after each module what it will not meet within
// max_reuse_distance elements (partitioned_param_coordinator.py,
// __params_to_release, at edaa722). An element that n others follow in the
// forward pass is met again after 2n: it keeps the last Reuse/2, first the
// head, which ends the pass, then the last layers.
func (s *site) gathersAgain(layers *gathered, roots *[2]gathered) [3]float64 {
	c := &s.prof.Comm
	switch {
	case !s.freesLayers():
		return [3]float64{}
	case c.Reuse == 0 && c.ReshardRoot:
		return [3]float64{1, 1, 1}
	case c.Reuse == 0:
		return [3]float64{1, 0, 0}
	}
	kept, head := float64(c.Reuse)/2, roots[1].params
	full := s.fullShare(layers.count)
	return [3]float64{
		full*s.gathersRecomputed(layers, head) + (1-full)*left(layers.params, kept-head),
		left(roots[0].params, kept-head-layers.params*(1+full/2)),
		left(head, kept),
	}
}

// gathersRecomputed is the same for layers whose forward pass is computed again
// (Chen et al. 2016): that pass finds a layer of P elements, k layers from the
// end, after P + 2·head + 3·k·P, as each later one passed three times; the
// backward pass then finds what n elements of the layer follow after 2n.
func (s *site) gathersRecomputed(layers *gathered, head float64) float64 {
	if layers.count == 0 || layers.params == 0 {
		return 0
	}
	reuse, layer := float64(s.prof.Comm.Reuse), layers.params/layers.count
	kept := 0.0
	if near := reuse - layer - 2*head; near >= 0 {
		kept = min(layers.count, math.Floor(near/(3*layer))+1)
	}
	return 1 - kept/layers.count + left(layer, reuse/2)
}

// fullShare is the share of so many layers that are recomputed in full.
func (s *site) fullShare(layers float64) float64 {
	switch {
	case s.l.Recompute != RecomputeFull:
		return 0
	case s.l.FullLayers == 0:
		return 1
	}
	return min(1, float64(s.l.FullLayers)/max(1, layers))
}

// left returns the share of n elements that is not among the kept ones.
func left(n, kept float64) float64 {
	if n <= 0 {
		return 0
	}
	return max(0, 1-max(0, kept)/n)
}
