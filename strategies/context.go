package strategies

import (
	"math"

	"planner/costmodel"
	"planner/costmodel/collective"
	"planner/hardware/unit"
)

// Context parallelism splits the sequence itself; each attention layer then
// needs the keys and values of the other ranks. Transformer Engine's three
// ways (context_parallel.py at d0067d0): a ring of sends whose backward pass
// carries KV and dKV (2(c−1) KV in all), gathers of K and V with
// ReduceScatters of their gradients, or Ulysses' AllToAlls over heads.

// contextLayer issues the CP calls of one layer, whose attention takes core;
// again counts the extra forward passes of it.
func (s *site) contextLayer(t *tally, l *costmodel.Layer, core costmodel.Pass, again float64) {
	x := &l.Mixer
	if s.l.CP < 2 || x.Kind == costmodel.NoMixer {
		return
	}
	switch {
	case x.Kind == costmodel.Linear:
		s.contextState(t, x, again)
	case x.Kind == costmodel.Mamba2:
		s.contextScan(t, x, again)
	case s.l.CPKind == CPAllGather:
		s.contextGather(t, x, again)
	case s.l.CPKind == CPA2A:
		s.contextUlysses(t, x, again)
	default:
		s.contextRing(t, x, core, again)
	}
}

// keyValues returns the bytes of K and V of one rank for one micro-batch,
// 2·(s/c)·b·(kv/t)·d·e; latent attention exchanges the expanded heads.
func (s *site) keyValues(x *costmodel.Mixer) (k, v unit.Bytes) {
	heads := max(1, float64(x.KVHeads)/float64(s.l.TP))
	if x.Kind == costmodel.MLA {
		heads = float64(x.Heads) / float64(s.l.TP)
	}
	per := s.tokens().Times(heads * s.model.Size())
	return per.Times(float64(x.HeadDim)), per.Times(float64(x.VHeadDim))
}

func (s *site) contextCall(op collective.Op, purpose string, phase collective.Phase, m unit.Bytes, count float64) collective.Call {
	return collective.Call{Op: op, Purpose: purpose, Phase: phase, Dims: collective.CP, Axis: collective.AxisCP,
		Span: s.cp, DType: s.model, Bytes: m, Count: count, Overlaps: "attention of the previous chunk"}
}

func (s *site) contextGather(t *tally, x *costmodel.Mixer, again float64) {
	k, v := s.keyValues(x)
	whole := float64(s.l.CP)
	for _, m := range []struct {
		what string
		size unit.Bytes
	}{{"keys", k.Times(whole)}, {"values", v.Times(whole)}} {
		t.issue(s.exposedContext(collective.AllGather, m.what, collective.Forward, m.size, 1))
		t.issue(s.exposedContext(collective.AllGather, t.label(m.what, ", again"), collective.Backward, m.size, 1+again))
		t.issue(s.exposedContext(collective.ReduceScatter, t.label(m.what, " gradient"), collective.Backward, m.size, 1))
	}
}

// exposedContext is a call that attention waits for: nothing runs beside it.
func (s *site) exposedContext(op collective.Op, what string, phase collective.Phase, m unit.Bytes, count float64) (collective.Call, float64) {
	c := s.contextCall(op, what, phase, m, count)
	c.Overlaps = ""
	return c, 1
}

func (s *site) contextUlysses(t *tally, x *costmodel.Mixer, again float64) {
	k, v := s.keyValues(x)
	q := s.tokens().Times(float64(x.Heads*x.HeadDim) / float64(s.l.TP) * s.model.Size())
	o := s.tokens().Times(float64(x.Heads*x.VHeadDim) / float64(s.l.TP) * s.model.Size())
	s.exchanged(t, again, tensor{"queries", q}, tensor{"keys", k}, tensor{"values", v}, tensor{"attention output", o})
}

// tensor is what an AllToAll exchanges between sequence and heads.
type tensor struct {
	what string
	size unit.Bytes
}

func (s *site) exchanged(t *tally, again float64, tensors ...tensor) {
	for _, m := range tensors {
		t.issue(s.exposedContext(collective.AllToAll, m.what, collective.Forward, m.size, 1))
		t.issue(s.exposedContext(collective.AllToAll, t.label(m.what, ", recomputed"), collective.Backward, m.size, again))
		t.issue(s.exposedContext(collective.AllToAll, t.label(m.what, " gradient"), collective.Backward, m.size, 1))
	}
}

// contextScan gives each rank the whole sequence of a share of the heads before
// the convolution, and its share of the sequence back after the scan (Megatron-LM
// core/ssm/mamba_context_parallel.py). Groups that are fewer than the ranks are
// sent to several.
func (s *site) contextScan(t *tally, x *costmodel.Mixer, again float64) {
	of := func(width float64) unit.Bytes { return s.tokens().Times(width / float64(s.l.TP) * s.model.Size()) }
	inner := of(float64(x.Heads * x.HeadDim))
	groups := of(math.Max(float64(x.Groups), float64(s.l.CP*s.l.TP)) * float64(x.State))
	s.exchanged(t, again, tensor{"gate", inner}, tensor{"scan input", inner}, tensor{"state input", groups}, tensor{"state output", groups},
		tensor{"step", of(float64(x.Heads))}, tensor{"scan output", inner})
}

// contextState passes the recurrent state of a linear layer along the ranks of a
// sequence: one send of heads·d_k·d_v in fp32 each way.
func (s *site) contextState(t *tally, x *costmodel.Mixer, again float64) {
	width := x.HeadDim * x.VHeadDim
	m := unit.Bytes(float64(s.l.MBS) * float64(x.Heads*width) / float64(s.l.TP) * 4)
	c := s.contextCall(collective.Send, "recurrent state", collective.Forward, m, 1)
	c.DType, c.Overlaps = collective.FP32, ""
	t.issue(c, 1)
	c.Purpose, c.Phase, c.Count = "recurrent state and gradient", collective.Backward, 1+again
	t.issue(c, 1)
}
