package strategies

import (
	"planner/costmodel"
	"planner/costmodel/collective"
	"planner/hardware/unit"
)

// Expert parallelism sends every token copy to the rank that holds its expert
// and back (Megatron-LM token_dispatcher.py at d98e8a6). The AllToAll
// dispatcher exchanges T·topk·h for T = s·b/(c·t) local tokens, their
// probabilities in fp32, and the counts per expert; the AllGather dispatcher
// gathers all hidden states over TP·EP and scatters the sums back; the fused
// one ("flex": DeepEP, HybridEP) sends a token, with its probabilities, once to
// each destination of TP·EP (_DeepepManager, fused_dispatch).

// expertLayer issues the EP calls of one layer; again counts the extra forward
// passes of its experts.
func (s *site) expertLayer(t *tally, l *costmodel.Layer, again float64) {
	if l.FFN.Experts == 0 || s.l.EP*s.l.ETP < 2 {
		return
	}
	switch s.l.Dispatcher {
	case DispatchAllGather:
		s.expertGather(t, l, again)
		return
	case DispatchFlex:
		s.expertFused(t, l, again)
		return
	}
	if s.l.EP > 1 {
		s.expertExchange(t, l, again)
	}
	s.expertCounts(t, &l.FFN, again)
	s.expertTensor(t, l, again)
}

// copies returns the bytes of n copies of each token that one rank dispatches:
// T·n·io·e.
func (s *site) copies(f *costmodel.FFN, n float64) unit.Bytes {
	io := float64(s.p.Model.Hidden)
	if f.Latent > 0 {
		io = float64(f.Latent)
	}
	return s.routedTokens().Times(n * io * s.model.Size())
}

// routedTokens returns the tokens that a rank dispatches, T = s·b/(c·t) as
// bytes of one byte each; t is 1 where every TP rank has all of them.
func (s *site) routedTokens() unit.Bytes {
	if s.repeatsTokens() {
		return s.tokens()
	}
	return s.tokens().Times(1 / float64(s.l.TP))
}

// repeatsTokens reports whether every TP rank dispatches the same tokens.
func (s *site) repeatsTokens() bool { return s.prof.Comm.RepeatsTokens && !s.l.SP && s.l.TP > 1 }

// expertFused sends each token once to every rank that holds a part of one of its
// experts, and the sums back.
func (s *site) expertFused(t *tally, l *costmodel.Layer, again float64) {
	n := destinations(&l.FFN, s.l.EP) * float64(s.l.ETP)
	c := collective.Call{Op: collective.AllToAll, Dims: collective.EP, Axis: collective.AxisEP, Span: s.tpep, DType: s.model,
		Bytes: s.copies(&l.FFN, n).Times(s.load())}
	if s.l.ETP > 1 {
		c.Dims |= collective.ETP
	}
	s.threeTimes(t, c, "token dispatch", again)
	s.threeTimes(t, c, "token combine", again)
}

func (s *site) expertExchange(t *tally, l *costmodel.Layer, again float64) {
	f := &l.FFN
	load := s.load()
	c := collective.Call{Op: collective.AllToAll, Dims: collective.EP, Axis: collective.AxisEP, Span: s.ep, DType: s.model,
		Bytes: s.copies(f, float64(f.TopK)).Times(load)}
	s.threeTimes(t, c, "token dispatch", again)
	s.threeTimes(t, c, "token combine", again)
	if s.prof.Comm.RoutingCalls {
		c.DType, c.Bytes = collective.FP32, s.routedTokens().Times(float64(f.TopK)*4*load)
		s.threeTimes(t, c, "routing probabilities", again)
	}
}

// expertCounts exchanges how many tokens each expert gets, for the sizes of what
// follows: over EP or, in Megatron, over all ranks that split the experts
// (AlltoAll dispatcher, preprocess).
func (s *site) expertCounts(t *tally, f *costmodel.FFN, again float64) {
	c := collective.Call{Op: collective.AllToAll, Purpose: "tokens per expert", Phase: collective.Forward, Dims: collective.EP, Axis: collective.AxisEP,
		Span: s.ep, DType: collective.Int64, Bytes: unit.Bytes(8 * f.Experts), Count: 1}
	switch {
	case s.prof.Comm.RoutingCalls:
		c.Op, c.Dims, c.Span = collective.AllGather, collective.EP|collective.ETP, s.tpep
		c.Bytes = c.Bytes.Times(float64(s.l.EP * s.l.ETP))
	case !s.prof.Comm.CountCalls || s.l.EP < 2:
		return
	}
	s.twice(t, c, again)
}

// twice issues a call without a gradient, forward and in the recomputed
// forward.
func (s *site) twice(t *tally, c collective.Call, again float64) {
	t.issue(c, s.fit.EPExposed)
	c.Purpose, c.Phase, c.Count = t.label(c.Purpose, ", recomputed"), collective.Backward, again
	t.issue(c, s.fit.EPExposed)
}

// threeTimes issues a call forward, in the recomputed forward, and mirrored
// backward.
func (s *site) threeTimes(t *tally, c collective.Call, what string, again float64) {
	c.Purpose, c.Phase, c.Count = what, collective.Forward, 1
	t.issue(c, s.fit.EPExposed)
	c.Phase, c.Purpose, c.Count = collective.Backward, t.label(what, ", recomputed"), again
	t.issue(c, s.fit.EPExposed)
	c.Op, c.Purpose, c.Count = mirror(c.Op), t.label(what, ", gradient"), 1
	t.issue(c, s.fit.EPExposed)
}

// mirror returns the op that carries the gradient of op's result back.
func mirror(op collective.Op) collective.Op {
	switch op {
	case collective.AllGather:
		return collective.ReduceScatter
	case collective.ReduceScatter:
		return collective.AllGather
	}
	return op
}

// expertTensor gathers the dispatched tokens over the ranks that split one
// expert, and scatters its partial sums.
func (s *site) expertTensor(t *tally, l *costmodel.Layer, again float64) {
	if s.l.ETP < 2 || s.prof.Comm.TensorExperts {
		return
	}
	c := collective.Call{Dims: collective.ETP, Axis: collective.AxisEP, Span: s.etp, DType: s.model,
		Bytes: s.copies(&l.FFN, float64(l.FFN.TopK)).Times(float64(s.l.ETP) * s.load())}
	for _, x := range []struct {
		op    collective.Op
		phase collective.Phase
		what  string
		count float64
	}{
		{collective.AllGather, collective.Forward, "expert input", 1},
		{collective.ReduceScatter, collective.Forward, "expert output", 1},
		{collective.AllGather, collective.Backward, "expert input, recomputed", again},
		{collective.ReduceScatter, collective.Backward, "expert output, recomputed", again},
		{collective.AllGather, collective.Backward, "expert output gradient", 1},
		{collective.ReduceScatter, collective.Backward, "expert input gradient", 1},
	} {
		c.Op, c.Phase, c.Purpose, c.Count = x.op, x.phase, x.what, x.count
		t.issue(c, s.fit.EPExposed)
	}
	if s.prof.Comm.RoutingCalls {
		c.Op, c.DType, c.Bytes = collective.AllGather, collective.FP32, s.routedTokens().Times(float64(l.FFN.TopK*s.l.ETP)*4*s.load())
		s.threeTimes(t, c, "expert probabilities", again)
	}
}

// expertGather is Megatron's default dispatcher: hidden states and routing are
// gathered over TP·EP, and the experts' sums scattered back.
func (s *site) expertGather(t *tally, l *costmodel.Layer, again float64) {
	ranks := float64(s.l.EP * s.l.ETP)
	c := collective.Call{Op: collective.AllGather, Dims: collective.EP | collective.ETP, Axis: collective.AxisEP, Span: s.tpep,
		DType: s.model, Bytes: s.routedTokens().Times(float64(s.p.Model.Hidden) * s.model.Size() * ranks)}
	s.threeTimes(t, c, "hidden states", again)
	c.Op = collective.ReduceScatter
	s.threeTimes(t, c, "expert output", again)
	c.Op, c.DType = collective.AllGather, collective.FP32
	c.Bytes = s.routedTokens().Times(float64(l.FFN.Experts) * 4 * ranks)
	s.threeTimes(t, c, "routing probabilities", again)
	c.DType, c.Bytes, c.Purpose, c.Phase, c.Count = collective.Int8, c.Bytes/4, "routing map", collective.Forward, 1
	s.twice(t, c, again)
}
