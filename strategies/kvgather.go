package strategies

import (
	"planner/costmodel"
	"planner/costmodel/collective"
	"planner/hardware/unit"
)

// replicatedHeads issues what TP beyond the key/value heads costs: a rank
// projects a part of a group of queries with its key and value, so all ranks
// gather the whole projection, M = (s/c)·b·(a·d + 2·kv·d)·e, and take their
// heads from it; its gradient is reduced and scattered (Megatron-LM
// transformer/attention.py, get_query_key_value_tensors at d98e8a6, when query
// groups are fewer than TP).
func (s *site) replicatedHeads(t *tally, l *costmodel.Layer, again float64) {
	x := &l.Mixer
	if x.Kind != costmodel.Attention || s.l.TP <= x.KVHeads {
		return
	}
	m := unit.Bytes(float64(s.tokens()) * float64(x.Heads*x.HeadDim+x.KVHeads*(x.HeadDim+x.VHeadDim)) * s.model.Size())
	c := collective.Call{Op: collective.AllGather, Purpose: "queries, keys and values", Phase: collective.Forward,
		Dims: collective.TP, Axis: collective.AxisTP, Span: s.tp, DType: s.model, Bytes: m, Count: 1}
	t.issue(c, s.tensorExposed)
	c.Phase, c.Purpose, c.Count = collective.Backward, "queries, keys and values, recomputed", again
	t.issue(c, s.tensorExposed)
	c.Op, c.Purpose, c.Count = collective.ReduceScatter, "query, key and value gradients", 1
	t.issue(c, s.tensorExposed)
}
