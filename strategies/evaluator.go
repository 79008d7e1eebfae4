package strategies

import (
	"math"

	"planner/costmodel"
	"planner/hardware/unit"
)

// evaluator estimates layouts of one problem. It caches blocks by key, so that
// a layout met after its neighbours costs a few additions. It is not safe for
// concurrent use; a search has one per worker.
type evaluator struct {
	p      *Problem
	layers map[layerKey]*layerSet
	hops   map[hopKey]*layerSet
	states map[stateKey]*stateSet
	chains map[chainKey]*chain

	// The sets met last: a search changes few keys from one layout to the next.
	recent    [8]recentLayers
	lastState stateKey
	state     *stateSet
	lastChain chainKey
	stages    *chain

	at      site // where blocks are built
	fits    map[*Profile]*ProfileFit
	slabs   slabs
	hop     hopMemo
	scratch []stageRun
	times   []costmodel.StageTime
}

// site places the groups of l. The site is the evaluator's own and serves until
// the next one.
func (e *evaluator) site(prof *Profile, l *Layout) *site {
	fit, ok := e.fits[prof]
	if !ok {
		fit = prof.FitFor(e.p.Cluster.GPU.Arch)
		e.fits[prof] = fit
	}
	e.at.init(e.p, prof, fit, *l)
	return &e.at
}

type recentLayers struct {
	key hopKey
	set *layerSet
}

func newEvaluator(p *Problem) *evaluator {
	return &evaluator{p: p, layers: map[layerKey]*layerSet{}, hops: map[hopKey]*layerSet{},
		states: map[stateKey]*stateSet{}, chains: map[chainKey]*chain{}, fits: map[*Profile]*ProfileFit{}}
}

// reset forgets the blocks, which bounds the memory of a long search.
func (e *evaluator) reset() {
	clear(e.layers)
	clear(e.hops)
	clear(e.states)
	clear(e.recent[:])
	e.state, e.hop = nil, hopMemo{}
	e.slabs.reset()
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
	fit         *ProfileFit
}

func (e *evaluator) layerSet(prof *Profile, l *Layout, c *chain) *layerSet {
	k := hopKey{layerKey{prof, int32(l.TP), int32(l.CP), int32(l.MBS), int32(l.EP), int32(l.ETP),
		l.PP > 1, l.SP, l.FullLayers > 0, prof.gathersLayers(l.Zero), l.Recompute, l.CPKind, l.Dispatcher}, int32(l.TP * l.CP * l.DP), int32(l.VPP)}
	near := &e.recent[l.Recompute]
	if l.SP {
		near = &e.recent[l.Recompute+4]
	}
	if near.set != nil && near.key == k {
		return near.set
	}
	set, ok := e.hops[k]
	if !ok {
		set = e.joined(&k, e.site(prof, l), c)
		e.hops[k] = set
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
	set := &layerSet{fit: s.fit, logits: s.logits()}
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

type stateKey struct {
	profile              *Profile
	parts                *chain
	tp, cp, dp, pp, vpp  int32
	ep, etp, zero, shard int32
	hpz                  int32
	offload              Offload
	sp                   bool // norm-weight gradients
}

// stateSet is the parameters, their calls and their memory, by stage of a
// chain.
type stateSet struct {
	held   []held
	cost   []stateCost
	memory []Memory
	step   []unit.Seconds // optimizer kernels
	tiny   []stepCost     // calls once a step
}

func (e *evaluator) stateSet(prof *Profile, l *Layout, c *chain) *stateSet {
	k := stateKey{prof, c.parts, int32(l.TP), int32(l.CP), int32(l.DP), int32(l.PP), int32(l.VPP), int32(l.EP), int32(l.ETP),
		int32(l.Zero), int32(l.Shard), int32(l.HPZ), l.Offload, l.SP}
	if prof.gathersLayers(l.Zero) {
		k.vpp = 0 // calls by layer, not by model chunk
	}
	if e.state != nil && e.lastState == k {
		return e.state
	}
	set, ok := e.states[k]
	if !ok {
		twin := k
		twin.sp = !k.sp
		if like := e.states[twin]; like != nil {
			set = e.site(prof, l).stateLike(like, c, &e.slabs)
		} else {
			set = e.site(prof, l).stateSet(c, &e.slabs)
		}
		e.states[k] = set
	}
	e.lastState, e.state = k, set
	return set
}

func (s *site) stateSet(c *chain, slabs *slabs) *stateSet {
	n := len(c.stages)
	set := &slabs.states.take(1)[0]
	*set = stateSet{slabs.held.take(n), slabs.cost.take(n), slabs.memory.take(n), slabs.step.take(n), slabs.tiny.take(n)}
	for i := range c.stages {
		st := &c.stages[i]
		if i > 0 && same(&c.stages[i-1], st) {
			set.held[i], set.cost[i], set.memory[i], set.step[i], set.tiny[i] =
				set.held[i-1], set.cost[i-1], set.memory[i-1], set.step[i-1], set.tiny[i-1]
			continue
		}
		set.held[i] = s.heldBy(st)
		t := stateTally{tally: tally{fabric: s.p.Fabric}}
		s.stateCalls(&t, &set.held[i], st.embed)
		set.cost[i] = t.cost
		s.stateMemory(&set.memory[i], &set.held[i])
		set.memory[i].Runtime = s.runtime()
		set.step[i] = s.optimizer(&set.held[i])
		set.tiny[i] = s.stepCost(st, &set.held[i])
	}
	return set
}

// stateLike returns the state of a layout that differs from another's in
// sequence parallelism alone: by its small calls.
func (s *site) stateLike(other *stateSet, c *chain, slabs *slabs) *stateSet {
	set := &slabs.states.take(1)[0]
	*set = *other
	set.tiny = slabs.tiny.take(len(c.stages))
	for i := range c.stages {
		set.tiny[i] = s.stepCost(&c.stages[i], &set.held[i])
	}
	return set
}

// chainKey is what the stages of a pipeline depend on; inner, the ranks of a
// stage, only where its boundaries are not alike.
type chainKey struct {
	pp, vpp, first, last, inner int32
	byCost                      bool
}

func (e *evaluator) chain(l *Layout, prof *Profile) *chain {
	k := chainKey{int32(l.PP), int32(l.VPP), int32(l.First), int32(l.Last), 0, prof.splitsByCost()}
	if inner := l.TP * l.CP * l.DP; l.PP > 1 && !e.p.Cluster.Alike(inner) {
		k.inner = int32(inner)
	}
	if e.stages != nil && e.lastChain == k {
		return e.stages
	}
	c, ok := e.chains[k]
	if !ok {
		c = e.p.chainOf(l, prof)
		for _, other := range e.chains {
			if c.sameParts(other) {
				c.parts = other.parts
				break
			}
		}
		e.chains[k] = c
	}
	e.lastChain, e.stages = k, c
	return c
}

// estimate predicts a legal layout under a profile.
func (e *evaluator) estimate(l *Layout, prof *Profile) Estimate {
	c := e.chain(l, prof)
	layers := e.layerSet(prof, l, c)
	r := run{p: e.p, prof: prof, fit: layers.fit, l: l, chain: c, layers: layers, state: e.stateSet(prof, l, c), stages: e.scratch[:0], times: e.times[:0]}
	est := r.estimate()
	e.scratch, e.times = r.stages, r.times
	return est
}

// Estimate predicts one layout, which must be legal under the profile.
func (p *Problem) Estimate(l Layout, prof *Profile) Estimate {
	return newEvaluator(p).estimate(&l, prof)
}

// runtime returns the memory of the process itself: CUDA context and library
// code, and the buffers of each communicator in use
// (hardware memory overheads, sections 2 and 3).
func (s *site) runtime() unit.Bytes {
	n := 0.0
	for _, size := range []int{s.tp.Size, s.cp.Size, s.l.PP, s.data.Size, s.ep.Size} {
		if size > 1 {
			n++
		}
	}
	return s.fit.Runtime + s.fit.PerComm.Times(n)
}

// optimizer returns the time of Adam on the parameters a rank updates: it
// reads and writes master weights and both moments, reads the gradient and
// writes the weight: 2·(4+8) + 4 + 2 = 30 bytes each. Offloaded state crosses
// the host link instead, gradients one way and weights the other.
func (s *site) optimizer(h *held) unit.Seconds {
	if s.p.Work.Forward {
		return 0
	}
	n := h.dense*s.splitShare(float64(s.l.Shard)) + h.expert*s.splitShare(float64(expertShard(&s.l)))
	n *= s.p.Work.Trained()
	if s.l.Offload != OffloadNone {
		return hostAdam(n, s.p.Cluster.GPU.PCIe)
	}
	return s.p.Device.Stream(unit.Bytes(n * adamBytes * s.fit.Optimizer))
}

const adamBytes = 30.0

// splitShare returns 1/shard where the optimizer state is split.
func (s *site) splitShare(shard float64) float64 {
	if s.l.Zero == 0 {
		return 1
	}
	return 1 / shard
}

// hostAdam is the optimizer on the CPU: 4 bytes a parameter over the host link
// (bf16 gradients down, bf16 weights up), and 30 bytes at the host memory's
// share of one GPU, taken as 25 GB/s (8 GPUs on a 12-channel DDR5 socket pair
// of which CPU-Adam reaches a half; Ren et al. 2021, section 5).
func hostAdam(n float64, link unit.BytesPerSecond) unit.Seconds {
	return unit.Bytes(4*n).Over(link) + unit.Bytes(adamBytes*n).Over(25*unit.GBps)
}

// straggle returns how much slower the slowest of n ranks is than the mean:
// a constant share per doubling beyond one node of eight.
func (s *ProfileFit) straggle(n int) float64 {
	return s.Straggler * math.Max(0, math.Log2(float64(n)/8))
}
