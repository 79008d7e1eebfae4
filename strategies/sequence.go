package strategies

import (
	"planner/costmodel/collective"
	"planner/hardware/unit"
)

// Sequence parallelism (Korthikanti et al. 2022, section 4.2.2) splits norms
// and residuals over the TP ranks. Each AllReduce of tensor parallelism becomes
// AllGather before the column product and ReduceScatter after the row product.
// Megatron keeps the split input only and gathers it again for the weight
// gradient, so a layer moves 6 AllGathers and 4 ReduceScatters, 10 units of
// (t−1)/t·A against 8 without SP (layers.py:623-709, 1562 at d98e8a6).

// sequenceInputs issues the calls on the inputs of column-parallel products.
func (s *site) sequenceInputs(t *tally, parts, again float64) {
	s.splitInput(t, "", s.hidden(), parts, again)
}

// splitInput issues those on count inputs of a kind, of so many bytes: gathered forward
// and in the recomputed forward, gathered again for the weight gradient where
// only the split one is kept, and their gradient scattered.
func (s *site) splitInput(t *tally, kind string, m unit.Bytes, count, again float64) {
	what, d := kind, s.gatherType()
	if kind == "" {
		what = "layer "
	}
	c := collective.Call{Op: collective.AllGather, Purpose: t.label(what, "input"), Phase: collective.Forward, Dims: collective.TP, Axis: collective.AxisTP,
		Span: s.tp, DType: d, Bytes: m.Times(d.Size() / s.model.Size()), Count: count}
	t.issue(c, s.tensorExposed)
	c.Purpose, c.Phase, c.Count = t.label(what, "input, recomputed"), collective.Backward, again
	t.issue(c, s.tensorExposed)
	if s.prof.Comm.Regather {
		c.Purpose, c.Count, c.Overlaps = t.label("saved ", t.label(kind, "input, again")), count, "input-gradient GEMM"
		t.issue(c, s.fit.TPBeside)
	}
	c.Op, c.DType, c.Bytes, c.Count = collective.ReduceScatter, s.model, m, count
	c.Purpose, c.Overlaps = t.label(kind, "input gradient"), "weight-gradient GEMM"
	t.issue(c, s.fit.TPBeside)
}

// sequenceOutputs issues the calls on the outputs of row-parallel products.
func (s *site) sequenceOutputs(t *tally, parts, again float64) {
	c := collective.Call{Op: collective.ReduceScatter, Purpose: "layer output", Phase: collective.Forward, Dims: collective.TP,
		Axis: collective.AxisTP, Span: s.tp, DType: s.model, Bytes: s.hidden(), Count: parts}
	t.issue(c, s.tensorExposed)
	c.Purpose, c.Phase, c.Count = "layer output, recomputed", collective.Backward, again
	t.issue(c, s.tensorExposed)
	d := s.gatherType()
	c.Op, c.DType, c.Bytes = collective.AllGather, d, s.hidden().Times(d.Size()/s.model.Size())
	c.Purpose, c.Count = "output gradient", parts
	t.issue(c, s.tensorExposed)
}

// gatherType returns the element type of the gathers around low-precision
// products: Transformer Engine quantises before it gathers, so they carry a
// byte an element; reductions stay at 16 bits.
func (s *site) gatherType() collective.DType {
	if s.prof.Comm.LowGather && s.p.low > 0 {
		return collective.FP8
	}
	return s.model
}

// sequenceHead issues AllGather forward, AllGather again and ReduceScatter
// backward around the LM head; c is the call it replaces.
func (s *site) sequenceHead(t *tally, c collective.Call) {
	c.Op, c.Purpose, c.Phase, c.Overlaps = collective.AllGather, "logits input", collective.Forward, ""
	t.issue(c, s.tensorExposed)
	c.Phase = collective.Backward
	if s.prof.Comm.Regather {
		c.Purpose, c.Overlaps = "logits input, again", "input-gradient GEMM"
		t.issue(c, s.fit.TPBeside)
	}
	c.Op, c.Purpose, c.Overlaps = collective.ReduceScatter, "logits input gradient", "weight-gradient GEMM"
	t.issue(c, s.fit.TPBeside)
}

// sequenceNorms issues the AllReduce of the gradients of weights that every TP
// rank holds but sees a part of the sequence of (norms, routers, the
// down-projections of latent attention): one coalesced call a step
// (finalize_model_grads.py).
func (s *site) sequenceNorms(t *tally, params float64) {
	if !s.l.SP {
		return
	}
	d := s.gradType()
	t.issue(collective.Call{Op: collective.AllReduce, Purpose: "replicated-weight gradients", Phase: collective.Optimizer,
		Dims: collective.TP, Axis: collective.AxisTP, Span: s.tp, DType: d, Bytes: bytesOf(params*s.p.Work.Trained(), d), Count: 1}, 1)
}
