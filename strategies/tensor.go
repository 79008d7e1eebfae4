package strategies

import (
	"planner/costmodel"
	"planner/costmodel/collective"
)

// Tensor parallelism (Shoeybi et al. 2019, section 3) splits the first matrix
// of attention and of the MLP by columns and the second by rows, so that one
// AllReduce of A bytes closes each part forward, and one opens it backward.
// The backward AllReduce of the input gradient runs beside the weight-gradient
// GEMM (Megatron-LM core/tensor_parallel/layers.py:696 at d98e8a6).

// tensorLayer issues the TP calls of one layer for one micro-batch. Again is the
// number of extra forward passes that recomputation makes, which leave out the
// last output where they stop early.
func (s *site) tensorLayer(t *tally, l *costmodel.Layer, inputsAgain, outputsAgain float64) {
	parts, closed := s.tensorPairs(l)
	inputs, outputs := parts*inputsAgain, closed*outputsAgain
	if s.prof.Memory.EarlyStop && l.FFN.Experts == 0 {
		outputs = max(0, parts-1) * outputsAgain
	}
	latent := s.prof.Comm.SplitLatent && l.Mixer.Kind == costmodel.MLA
	if latent {
		s.latentInputs(t, &l.Mixer, inputsAgain)
		parts, inputs = parts-1, inputs-inputsAgain
	}
	if s.l.SP {
		s.sequenceInputs(t, parts, inputs)
		s.sequenceOutputs(t, closed, outputs)
		return
	}
	ar := collective.Call{Op: collective.AllReduce, Purpose: "layer output", Phase: collective.Forward,
		Dims: collective.TP, Axis: collective.AxisTP, Span: s.tp, DType: s.model, Bytes: s.hidden(), Count: closed}
	t.issue(ar, s.tensorExposed)
	ar.Purpose, ar.Phase, ar.Count = "layer output, recomputed", collective.Backward, outputs
	t.issue(ar, s.tensorExposed)
	ar.Purpose, ar.Count, ar.Overlaps = "input gradient", parts, "weight-gradient GEMM"
	t.issue(ar, s.fit.TPBeside)
}

// tensorPairs returns how many inputs of column-parallel products a layer gathers
// over TP and how many outputs of row-parallel ones it sums: as many, but for
// routed experts that EP deals out, whose output alone may be a sum.
func (s *site) tensorPairs(l *costmodel.Layer) (inputs, outputs float64) {
	inputs = tensorParts(l)
	outputs = inputs
	if s.prof.Comm.TensorExperts && l.FFN.Experts > 0 && l.FFN.Width+l.FFN.Shared == 0 {
		outputs++
		if s.l.EP == 1 {
			inputs++
		}
	}
	return inputs, outputs
}

// tensorParts returns how many column–row pairs a layer closes: attention and
// the MLP each, one together in a parallel block; routed experts close none,
// their dispatch does.
func tensorParts(l *costmodel.Layer) float64 {
	n := 0.0
	if l.Mixer.Kind != costmodel.NoMixer {
		n++
	}
	if (l.FFN.Width > 0 || l.FFN.Shared > 0) && !(l.Parallel && n > 0) {
		n++
	}
	return n
}

// tensorEmbedding issues the calls of the vocabulary-parallel embedding:
// AllReduce forward without SP; with SP ReduceScatter forward and AllGather
// backward, or AllReduce and a local slice where learned positions are added
// (Megatron-LM language_model_embedding.py:50-57, 143-146).
func (s *site) tensorEmbedding(t *tally) {
	if !s.prof.Comm.VocabParallel {
		return
	}
	c := collective.Call{Op: collective.AllReduce, Purpose: "embedding output", Phase: collective.Forward,
		Dims: collective.TP, Axis: collective.AxisTP, Span: s.tp, DType: s.model, Bytes: s.hidden(), Count: 1}
	if s.l.SP && s.p.Model.Positions == 0 {
		c.Op = collective.ReduceScatter
	}
	t.issue(c, s.tensorExposed)
	if s.l.SP {
		c.Op, c.Purpose, c.Phase = collective.AllGather, "embedding gradient", collective.Backward
		t.issue(c, s.tensorExposed)
	}
}

// tensorHead issues the calls of the column-parallel LM head and the
// vocabulary-parallel loss: three fp32 AllReduces of a value per token (max,
// predicted logit, sum of exponentials), the last two joined when fused
// (cross_entropy.py:130-150, fused_cross_entropy.py:94-112).
func (s *site) tensorHead(t *tally) {
	if !s.prof.Comm.VocabParallel {
		return
	}
	c := collective.Call{Op: collective.AllReduce, Purpose: "logits input gradient", Phase: collective.Backward,
		Dims: collective.TP, Axis: collective.AxisTP, Span: s.tp, DType: s.model, Bytes: s.hidden(), Count: 1,
		Overlaps: "weight-gradient GEMM"}
	if s.l.SP {
		s.sequenceHead(t, c)
	} else {
		t.issue(c, s.fit.TPBeside)
	}
	s.tensorLoss(t)
}

func (s *site) tensorLoss(t *tally) {
	c := collective.Call{Op: collective.AllReduce, Purpose: "loss: max, logit, sum", Phase: collective.Forward,
		Dims: collective.TP, Axis: collective.AxisTP, Span: s.tp, DType: collective.FP32,
		Bytes: s.tokens().Times(4), Count: 3}
	if !s.prof.Comm.FusedLoss {
		t.issue(c, s.tensorExposed)
		return
	}
	c.Purpose, c.Count = "loss: max", 1
	t.issue(c, s.tensorExposed)
	c.Purpose, c.Bytes = "loss: logit and sum", s.tokens().Times(8)
	t.issue(c, s.tensorExposed)
}

// tensorBatch issues the broadcast of a micro-batch's tokens from TP rank 0
// (Megatron-LM core/utils.py:2167-2276): the stage that embeds needs tokens and
// positions, the one with the loss needs labels, mask and positions.
func (s *site) tensorBatch(t *tally, embed, head bool) {
	if !s.prof.Comm.BroadcastBatch || !(embed || head) {
		return
	}
	whole := s.tokens().Times(float64(s.l.CP))
	c := collective.Call{Op: collective.Broadcast, Purpose: "tokens and positions", Phase: collective.Forward,
		Dims: collective.TP, Axis: collective.AxisOther, Span: s.tp, DType: collective.Int64, Bytes: whole.Times(8), Count: 2}
	if head {
		c.Purpose = "labels and positions"
		if embed {
			c.Purpose, c.Count = "tokens, labels and positions", 3
		}
	}
	t.issue(c, 0)
	if head {
		c.Purpose, c.DType, c.Bytes, c.Count = "loss mask", collective.FP32, whole.Times(4), 1
		t.issue(c, 0)
	}
}
