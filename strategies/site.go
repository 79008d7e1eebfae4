package strategies

import (
	"math"

	"planner/costmodel"
	"planner/costmodel/collective"
	"planner/costmodel/kernel"
	"planner/hardware"
	"planner/hardware/unit"
)

// site is where calls are issued: one layout under one profile, with the
// groups of its ranks placed on the cluster (rank order tp-cp-ep-dp-pp).
type site struct {
	p      *Problem
	places *hardware.Placer
	prof   *Profile
	fit    *ProfileFit
	l      Layout
	model  collective.DType // type of weights and activations on the wire

	tensorExposed float64 // Profile.TensorExposed

	tp, cp, ends       hardware.Span // ends: first and last rank of a pipeline
	ep, etp, edp, tpep hardware.Span
	data               hardware.Span // the DP·CP ranks
	shard, replica     hardware.Span // ZeRO: ranks that split state, ranks that repeat it
	eshard, ereplica   hardware.Span
	hpz                hardware.Span
	world, modelRanks  hardware.Span
	normRanks          hardware.Span // the ranks of one instance of the distributed optimizer
}

// newSite places the groups of l.
func newSite(p *Problem, prof *Profile, l Layout) *site {
	s := &site{p: p, places: hardware.NewPlacer(p.Cluster)}
	s.init(prof, prof.FitFor(p.Cluster.GPU.Arch), l)
	return s
}

func (s *site) init(prof *Profile, fit *ProfileFit, l Layout) {
	p, c := s.p, s.places
	*s = site{p: p, places: c, prof: prof, l: l, fit: fit, model: collective.BF16}
	switch p.Work.Precision {
	case hardware.FP16:
		s.model = collective.FP16
	case hardware.FP32:
		s.model = collective.FP32
	}
	inner := l.TP * l.CP * l.DP
	s.tp = c.Span(1, l.TP)
	s.tensorExposed = prof.TensorExposed(fit, p.Cluster, &s.l, &s.tp)
	s.cp = c.Span(l.TP, l.CP)
	s.ends = c.Span(inner*max(1, l.PP-1), min(l.PP, 2))
	s.data = c.Span(l.TP, l.DataRanks())
	s.world = c.Span(1, p.Cluster.GPUs)
	s.modelRanks = c.Runs(l.TP, inner, l.PP)
	s.normRanks = s.world
	if l.Zero > 0 && l.Shard < l.DataRanks() {
		s.normRanks = c.Runs(l.TP*l.Shard, inner, l.PP)
	}
	if moe(p.Model) {
		s.placeExperts()
	}
	s.placeShards()
}

func (s *site) placeExperts() {
	l, c := &s.l, s.places
	s.etp = c.Span(1, l.ETP)
	s.ep = c.Span(l.ETP, l.EP)
	s.tpep = c.Span(1, l.ETP*l.EP)
	s.edp = c.Span(l.ETP*l.EP, l.EDP())
	es := expertShard(l)
	s.eshard = c.Span(l.ETP*l.EP, es)
	s.ereplica = c.Span(l.ETP*l.EP*es, max(1, l.EDP()/es))
}

func (s *site) placeShards() {
	l, c := &s.l, s.places
	s.shard = c.Span(l.TP, l.Shard)
	s.replica = c.Span(l.TP*l.Shard, l.DataRanks()/l.Shard)
	if l.HPZ > 0 {
		s.hpz = c.Span(l.TP, l.HPZ)
	}
}

// expertShard returns the ranks over which the state of one expert is split:
// EFSDP·EP·ETP = shard·TP (torchtitan folds so; with a full shard it is EDP).
func expertShard(l *Layout) int {
	es := l.Shard * l.TP / (l.EP * l.ETP)
	return min(max(1, es), max(1, l.EDP()))
}

// gradType returns the element type of gradient calls.
func (s *site) gradType() collective.DType { return s.prof.GradDType(&s.l, s.model) }

// slice returns the part of a layer that one rank computes.
func (s *site) slice() costmodel.Slice {
	l, w := &s.l, &s.p.Work
	return costmodel.Slice{
		Batch: float64(l.MBS), Seq: float64(w.Seq), CP: float64(l.CP), TP: float64(l.TP), SP: l.SP,
		EP: float64(l.EP), ETP: float64(l.ETP), Imbalance: s.load(), Input: s.lowSaved(),
		Ulysses: l.CPKind == CPA2A, PlainGLU: s.prof.Memory.PlainGLU || w.Plain,
		Attention: s.attention(), Pointwise: s.pointwise(), Norm: s.normTraffic(), Misaligned: s.fit.Misaligned,
		Element: s.model.Size(), Repeated: s.repeatsTokens(),
		Resort: l.EP > 1 && l.Dispatcher == DispatchAllToAll,
	}
}

// lowSaved returns the bytes of an element of a product's input as it is kept
// quantised; 0: it is kept as it was.
func (s *site) lowSaved() float64 {
	if !s.prof.Memory.LowSaved {
		return 0
	}
	return s.p.low
}

// pointwise returns the traffic of norms and residuals over the fused minimum.
func (s *site) pointwise() float64 {
	if s.p.Work.Plain {
		return s.fit.Pointwise * max(1, s.fit.Plain)
	}
	return s.fit.Pointwise
}

// normTraffic returns the traffic of norms over that of the other pointwise
// kernels.
func (s *site) normTraffic() float64 {
	if s.p.Work.UnfusedNorm {
		return max(1, s.fit.NormUnfused)
	}
	return 1
}

// load returns the tokens of the busiest expert rank over an even share.
func (s *site) load() float64 {
	if s.p.Work.Imbalance == 0 {
		return 1
	}
	return s.p.Work.Imbalance
}

func (s *site) attention() kernel.AttentionKernel { return s.p.Work.Attention }

// hidden returns the bytes of the residual stream of one micro-batch on one
// rank, A = (s/c)·b·h·e, before sequence parallelism.
func (s *site) hidden() unit.Bytes {
	return s.tokens().Times(float64(s.p.Model.Hidden) * s.model.Size())
}

// tokens returns the tokens of one micro-batch on one rank, as bytes of one
// byte each.
func (s *site) tokens() unit.Bytes {
	return unit.Bytes(float64(s.l.MBS) * float64(s.p.Work.Seq) / float64(s.l.CP))
}

// vocab returns the rows of the embedding as the framework pads them, over
// the TP ranks that split it.
func (s *site) vocab() (padded, perRank float64) {
	v := float64(PadVocab(s.p.Model.Vocab, s.prof.Memory.VocabMultiple, s.l.TP))
	if !s.prof.Comm.VocabParallel {
		return v, v
	}
	return v, math.Floor(v / float64(s.l.TP))
}

// PadVocab rounds a vocabulary up to a multiple of multiple·tp, as Megatron's
// --make-vocab-size-divisible-by does; multiple 0 leaves it.
func PadVocab(vocab, multiple, tp int) int {
	if multiple <= 0 {
		return vocab
	}
	m := multiple * tp
	return (vocab + m - 1) / m * m
}
