package strategies

import "planner/costmodel/collective"

// Hybrid sharding splits state inside a shard group and repeats it across
// groups: gradients are reduced and scattered inside, then each rank AllReduces
// its shard with its twins (Zhao et al. 2023, section 3.2.2; Megatron's
// num_distributed_optimizer_instances, param_and_grad_buffer.py:738-760).

// reduceReplicas issues the AllReduce of the local shard, M = e·P/shard.
func (s *site) reduceReplicas(t *stateTally, g *group, class stateClass, d collective.DType, params float64) {
	if g.replica.Size < 2 {
		return
	}
	c := collective.Call{Op: collective.AllReduce, Purpose: t.label(g.what, "gradient shard across replicas"), Phase: collective.Backward,
		Dims: g.dims, Axis: collective.AxisDP, Span: g.replica, DType: d,
		Bytes: bytesOf(params/float64(g.shard.Size), d), Count: 1}
	if s.prof.GradsOverlap(s.l.Zero) {
		c.Overlaps = "backward pass"
	}
	t.add(c, class)
}
