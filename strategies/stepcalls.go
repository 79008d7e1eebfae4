package strategies

import (
	"planner/costmodel/collective"
	"planner/hardware"
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
		s.expertBias(t, st)
		s.validTokens(t)
	}
	if st.head && s.data.Size > 1 {
		t.issue(collective.Call{Op: collective.AllReduce, Purpose: "loss to report", Phase: collective.Optimizer, Dims: s.dataDims(),
			Axis: collective.AxisOther, Span: s.data, DType: collective.FP32, Bytes: 8, Count: 1}, 1)
	}
}

// tiedEmbedding sums the gradients of a shared embedding over the first and
// the last stage: M = (V/t)·h in the gradient's type, of what is trained.
func (s *site) tiedEmbedding(t *tally, st *stage) {
	if !s.p.Model.Tied || s.l.PP < 2 || !(st.embed || st.head) {
		return
	}
	_, rows := s.vocab()
	d := s.gradType()
	t.issue(collective.Call{Op: collective.AllReduce, Purpose: "tied embedding gradients", Phase: collective.Optimizer,
		Dims: collective.PP, Axis: collective.AxisPP, Span: s.ends, DType: d,
		Bytes: bytesOf(rows*float64(s.p.Model.Hidden)*s.p.Work.Trained(), d), Count: 1}, 1)
}

// gradientNorm sums one fp32 over the ranks that hold different parts of the
// gradient, by the groups that the framework takes for it: all of them at once
// (the model-parallel ranks, or the world when ZeRO splits them), or one after
// another, which "data" (DeepSpeed: stage_1_and_2.py, stage3.py) and "mesh"
// (torch.distributed.tensor: the dimensions that a parameter is split over) begin
// with the ranks of ZeRO.
func (s *site) gradientNorm(t *tally) {
	norm := func(dims collective.Dims, span hardware.Span) { s.tinySum(t, "gradient norm", dims, span) }
	switch kind := s.prof.Comm.Norm; {
	case s.l.Zero > 0 && kind == "data":
		norm(s.dataDims(), s.data)
		norm(collective.TP|collective.PP, s.modelRanks)
	case kind == "mesh":
		if s.l.Zero > 0 {
			norm(s.dataDims(), s.shard)
		}
		norm(collective.TP, s.tp)
		norm(collective.PP, s.places.Span(s.l.TP*s.l.CP*s.l.DP, s.l.PP))
	case s.l.Zero > 0:
		norm(collective.World, s.normRanks)
	default:
		norm(collective.TP|collective.PP, s.modelRanks)
	}
	s.overflow(t)
}

// overflow issues the maximum of a flag: of fp16 steps, and of DeepSpeed's at
// every precision.
func (s *site) overflow(t *tally) {
	switch {
	case s.l.Zero > 0 && s.prof.Comm.Norm == "data":
		s.tinySum(t, "overflow flag", s.dataDims(), s.data)
	case s.model != collective.FP16:
	case s.l.Zero > 0:
		s.tinySum(t, "overflow flag", collective.World, s.world)
	default:
		s.tinySum(t, "overflow flag", collective.TP|collective.PP, s.modelRanks)
	}
}

// expertBias sums the tokens that each expert got in the step, by which the
// router's correction moves, over the ranks that see different ones: M = 4 bytes
// an expert and sparse layer (finalize_model_grads.py).
func (s *site) expertBias(t *tally, st *stage) {
	if !s.prof.Comm.ExpertBias {
		return
	}
	experts := 0
	for k, n := range st.kinds {
		if f := &s.p.Model.Kinds[k].FFN; f.Corrected() {
			experts += n * f.Experts
		}
	}
	if experts == 0 {
		return
	}
	t.issue(collective.Call{Op: collective.AllReduce, Purpose: "tokens per expert, for the router's correction", Phase: collective.Optimizer,
		Dims: collective.TP | s.dataDims(), Axis: collective.AxisOther, Span: s.places.Span(1, s.l.TP*s.l.CP*s.l.DP),
		DType: collective.FP32, Bytes: unit.Bytes(4 * experts), Count: 1}, 1)
}

// validTokens sums the tokens that count for the loss over the replicas
// (torchtitan trainer.py, global_valid_tokens).
func (s *site) validTokens(t *tally) {
	if !s.prof.Comm.ValidTokens {
		return
	}
	t.issue(collective.Call{Op: collective.AllReduce, Purpose: "valid tokens", Phase: collective.Optimizer, Dims: collective.DP,
		Axis: collective.AxisOther, Span: s.places.Span(s.l.TP*s.l.CP, s.l.DP), DType: collective.Int64, Bytes: 8, Count: 1}, 1)
}

// tinySum is an AllReduce of one fp32.
func (s *site) tinySum(t *tally, what string, dims collective.Dims, span hardware.Span) {
	t.issue(collective.Call{Op: collective.AllReduce, Purpose: what, Phase: collective.Optimizer, Dims: dims,
		Axis: collective.AxisOther, Span: span, DType: collective.FP32, Bytes: 4, Count: 1}, 1)
}

// dataDims names the ranks that hold copies of a dense parameter.
func (s *site) dataDims() collective.Dims {
	if s.l.CP > 1 {
		return collective.DP | collective.CP
	}
	return collective.DP
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
