package strategies

import (
	"planner/hardware/unit"
)

type recentLayers struct {
	key hopKey
	set *layerSet
}

// layerKey is all that the blocks of layers and ends depend on.
type layerKey struct {
	profile              *Profile
	tp, cp, mbs, ep, etp int32
	pipelined, sp        bool
	partial, gathers     bool
	recompute            Recompute
	cpkind               CPKind
	dispatcher           Dispatcher
}

// hopKey adds what the hops between stages depend on.
type hopKey struct {
	layerKey
	inner, vpp int32 // ranks of a stage: where the hops lie
}

// layerSet is the blocks of one micro-batch.
type layerSet struct {
	kinds, full []block // by kind of layer, as the layout recomputes; whole
	embed, head block
	hops        []hopTime  // by boundary of the chain
	sums        []stageRun // by stage of the chain
	logits      unit.Bytes
	buffers     unit.Bytes // of TP calls beside products
	fit         *ProfileFit
}

func (e *evaluator) layerSet(prof *Profile, l *Layout, c *chain) *layerSet {
	k := hopKey{layerKey{prof, int32(l.TP), int32(l.CP), int32(l.MBS), int32(l.EP), int32(l.ETP),
		l.PP > 1, l.SP, l.FullLayers > 0, prof.gathersLayers(l.Zero), l.Recompute, l.CPKind, l.Dispatcher}, int32(l.TP * l.CP * l.DP), int32(l.VPP)}
	near := &e.recent[l.Recompute]
	if l.SP {
		near = &e.recent[numRecompute+l.Recompute]
	}
	if near.set != nil && near.key == k {
		return near.set
	}
	set, ok := e.joins[k]
	if !ok {
		set = e.joined(&k, e.site(prof, l), c)
		e.joins[k] = set
	}
	*near = recentLayers{k, set}
	return set
}

// joined returns the blocks of layers, shared between pipelines, with the hops
// of one.
func (e *evaluator) joined(k *hopKey, s *site, c *chain) *layerSet {
	shared, ok := e.layers[k.layerKey]
	if !ok {
		shared = s.layerSet(false)
		e.layers[k.layerKey] = shared
	}
	set := &e.slabs.layers.take(1)[0]
	*set = *shared
	set.hops = e.hop.of(s, c, &e.slabs)
	s.sum(set, c, e.slabs.sums.take(len(c.stages)))
	return set
}

// hopMemo is the hops met last, which layouts share that differ in
// recomputation alone.
type hopMemo struct {
	bytes unit.Bytes
	chain *chain
	inner int
	fit   *ProfileFit
	times []hopTime
}

func (h *hopMemo) of(s *site, c *chain, slabs *slabs) []hopTime {
	m, inner := s.hopBytes(), s.l.TP*s.l.CP*s.l.DP
	if h.fit != s.fit || h.bytes != m || h.chain != c || h.inner != inner {
		*h = hopMemo{m, c, inner, s.fit, slabs.hops.take(len(c.hops))}
		s.hopTimes(c, h.times)
	}
	return h.times
}

func (s *site) layerSet(keepCalls bool) *layerSet {
	set := &layerSet{fit: s.fit, logits: s.logits(), buffers: s.userbuffers()}
	for i := range s.p.Model.Kinds {
		l := &s.p.Model.Kinds[i]
		set.kinds = append(set.kinds, s.layerBlock(l, s.l.Recompute == RecomputeFull, keepCalls))
		if s.l.Recompute == RecomputeFull && s.l.FullLayers > 0 {
			set.full = append(set.full, set.kinds[i])
			set.kinds[i] = s.layerBlock(l, false, keepCalls)
		}
	}
	one := s.l.PP == 1
	set.embed = s.embedBlock(keepCalls, one)
	set.head = s.headBlock(keepCalls, one)
	return set
}
