package strategies

import (
	"planner/costmodel/collective"
	"planner/hardware/unit"
)

// stepCost is the exposed time of the calls that a step makes once, by axis.
type stepCost [collective.NumAxes]unit.Seconds

// stepCalls issues what finalizes the gradients of a step, in Megatron's order
// (distributed/finalize_model_grads.py at d98e8a6): those of replicated
// weights, the tied embedding, then the gradient norm (optimizer/clip_grads.py:129-134), the
// overflow flag of fp16, and the loss to report (training.py:3242).
func (s *site) stepCalls(t *tally, st *stage, h *held) {
	if !s.p.Work.Forward {
		s.sequenceNorms(t, h.replicated)
		s.tiedEmbedding(t, st)
		s.gradientNorm(t)
	}
	if st.head && s.data.Size > 1 {
		dims := collective.DP
		if s.l.CP > 1 {
			dims |= collective.CP
		}
		t.issue(collective.Call{Op: collective.AllReduce, Purpose: "loss to report", Phase: collective.Optimizer, Dims: dims,
			Axis: collective.AxisOther, Span: s.data, DType: collective.FP32, Bytes: 8, Count: 1}, 1)
	}
}

// tiedEmbedding sums the gradients of a shared embedding over the first and
// the last stage: M = (V/t)·h in the gradient's type.
func (s *site) tiedEmbedding(t *tally, st *stage) {
	if !s.p.Model.Tied || s.l.PP < 2 || !(st.embed || st.head) {
		return
	}
	_, rows := s.vocab()
	d := s.prof.GradDType(s.model)
	t.issue(collective.Call{Op: collective.AllReduce, Purpose: "tied embedding gradients", Phase: collective.Optimizer,
		Dims: collective.PP, Axis: collective.AxisPP, Span: s.ends, DType: d,
		Bytes: bytesOf(rows*float64(s.p.Model.Hidden), d), Count: 1}, 1)
}

// gradientNorm sums one fp32 over the ranks that hold different parts of the
// gradient: the model-parallel ranks, or the world when ZeRO splits them.
func (s *site) gradientNorm(t *tally) {
	c := collective.Call{Op: collective.AllReduce, Purpose: "gradient norm", Phase: collective.Optimizer,
		Dims: collective.TP | collective.PP, Axis: collective.AxisOther, Span: s.modelRanks, DType: collective.FP32, Bytes: 4, Count: 1}
	if s.l.Zero > 0 {
		c.Dims, c.Span = collective.World, s.world
	}
	t.issue(c, 1)
	if s.model == collective.FP16 {
		c.Purpose = "overflow flag"
		t.issue(c, 1)
	}
}

func (s *site) stepCost(st *stage, h *held) stepCost {
	t := tally{fabric: s.p.Fabric, times: 1}
	s.stepCalls(&t, st, h)
	var c stepCost
	for a := range c {
		c[a] = t.fwd[a] + t.bwd[a]
	}
	return c
}
