package strategies

import (
	"planner/costmodel"
	"planner/costmodel/collective"
	"planner/hardware/unit"
)

// Multi-head latent attention (DeepSeek-V2, arXiv 2405.04434, section 2.1)
// under tensor parallelism: the down-projections are held whole and run on the
// rank's own part of the sequence, so that what SP gathers before the split
// up-projections is compressed, of q_rank, kv_rank and rotary elements a token
// in place of hidden (Megatron-LM transformer/multi_latent_attention.py at
// d98e8a6).

// latentInputs issues the TP calls on the inputs of one latent attention;
// again counts the extra forward passes.
func (s *site) latentInputs(t *tally, x *costmodel.Mixer, again float64) {
	queries := s.latent(x.QRank)
	if x.QRank == 0 { // queries are projected from the hidden state
		queries = s.hidden()
	}
	keys := s.latent(x.KVRank)
	if !s.l.SP {
		s.latentGradient(t, "query input gradient", queries)
		s.latentGradient(t, "key and value input gradient", keys)
		return
	}
	s.splitInput(t, "query ", queries, 1, again)
	s.splitInput(t, "key and value ", keys, 1, again)
	c := collective.Call{Op: collective.AllGather, Purpose: "rotary key", Phase: collective.Forward, Dims: collective.TP,
		Axis: collective.AxisTP, Span: s.tp, DType: s.model, Bytes: s.latent(x.RopeDim), Count: 1}
	t.issue(c, s.tensorExposed)
	c.Purpose, c.Phase, c.Count = "rotary key, recomputed", collective.Backward, again
	t.issue(c, s.tensorExposed)
	c.Op, c.Purpose, c.Count = collective.ReduceScatter, "rotary key gradient", 1
	t.issue(c, s.tensorExposed)
}

// latent returns the bytes of width elements a token of one micro-batch.
func (s *site) latent(width int) unit.Bytes { return s.tokens().Times(float64(width) * s.model.Size()) }

func (s *site) latentGradient(t *tally, what string, m unit.Bytes) {
	t.issue(collective.Call{Op: collective.AllReduce, Purpose: what, Phase: collective.Backward, Dims: collective.TP, Axis: collective.AxisTP,
		Span: s.tp, DType: s.model, Bytes: m, Count: 1, Overlaps: "weight-gradient GEMM"}, s.fit.TPBeside)
}
