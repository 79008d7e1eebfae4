package strategies

import "planner/costmodel/collective"

// ZeRO-1 (Rajbhandari et al. 2020, section 5.1) splits the optimizer state.
// Megatron's distributed optimizer reduces and scatters fp32 gradients, then
// gathers parameters in their own type, 4 + 2 bytes a parameter against 8 for
// an fp32 AllReduce (param_and_grad_buffer.py:507-727). DeepSpeed issues a
// bucketed AllReduce and each rank keeps its part
// (runtime/zero/stage_1_and_2.py:1314-1346, 1858 at edaa722).

func (s *site) zero1(t *stateTally, g *group, first bool) {
	s.reduceGradients(t, g, first)
	s.gatherParameters(t, g, first)
}

// reduceGradients issues the gradient calls of stages 1 and 2, and across the
// replicas of a shard group an AllReduce of the shard.
func (s *site) reduceGradients(t *stateTally, g *group, first bool) {
	op := collective.AllReduce
	if s.prof.Comm.GradOp[s.l.Zero] == "reduce_scatter" {
		op = collective.ReduceScatter
	}
	s.gradients(t, g, op, first, "gradients")
	if op == collective.ReduceScatter {
		s.reduceReplicas(t, g, classGrad, s.gradType(), g.params*s.p.Work.Trained())
	}
}

// gatherParameters issues the AllGather of updated parameters, once a step,
// beside the next forward pass where the framework overlaps.
func (s *site) gatherParameters(t *stateTally, g *group, first bool) {
	c := collective.Call{Op: collective.AllGather, Phase: collective.Optimizer, Dims: g.dims, Axis: collective.AxisDP,
		Span: g.shard, DType: s.model}
	if s.prof.gathersOverlap() {
		c.Overlaps = "next forward pass"
	}
	for _, k := range s.chunks(g, first) {
		n := k.params * s.p.Work.Trained()
		size := s.bucket(n, first && k.first)
		if b := s.prof.Comm.GatherBucket; b > 0 {
			size = min(n, float64(b))
		}
		s.inBuckets(t, c, n, size, k.times, t.label(g.what, "parameters"), classGather)
	}
}
