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
	states map[stateKey]*stateSet
	chains map[chainKey]*chain

	scratch []stageRun
	times   []costmodel.StageTime
}

func newEvaluator(p *Problem) *evaluator {
	return &evaluator{p: p, layers: map[layerKey]*layerSet{}, states: map[stateKey]*stateSet{}, chains: map[chainKey]*chain{}}
}

// reset forgets the blocks, which bounds the memory of a long search.
func (e *evaluator) reset() {
	clear(e.layers)
	clear(e.states)
}

// layerKey is all that the blocks of layers and ends depend on.
type layerKey struct {
	profile              *Profile
	tp, cp, mbs, ep, etp int32
	inner                int32 // ranks of a stage: where the hops lie
	pipelined, vpp       int32
	sp, partial          bool
	recompute            Recompute
	cpkind               CPKind
	dispatcher           Dispatcher
}

// layerSet is the blocks of one micro-batch.
type layerSet struct {
	kinds, full []block // by kind of layer, as the layout recomputes; whole
	embed, head block
	middle      block // hops of an inner stage
	first, last block // hops of the end stages
	logits      unit.Bytes
	fit         *ProfileFit
}

func (e *evaluator) layerSet(prof *Profile, l *Layout) *layerSet {
	k := layerKey{prof, int32(l.TP), int32(l.CP), int32(l.MBS), int32(l.EP), int32(l.ETP), int32(l.TP * l.CP * l.DP),
		int32(min(l.PP, 2)), int32(l.VPP), l.SP, l.FullLayers > 0, l.Recompute, l.CPKind, l.Dispatcher}
	if set, ok := e.layers[k]; ok {
		return set
	}
	set := newSite(e.p, prof, *l).layerSet(false)
	e.layers[k] = set
	return set
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
	set.first = s.hopBlock(true, one, keepCalls)
	set.last = s.hopBlock(one, true, keepCalls)
	set.middle = s.hopBlock(false, false, keepCalls)
	return set
}

type stateKey struct {
	profile              *Profile
	tp, cp, dp, pp, vpp  int32
	ep, etp, zero, shard int32
	hpz, first, last     int32
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
	k := stateKey{prof, int32(l.TP), int32(l.CP), int32(l.DP), int32(l.PP), int32(l.VPP), int32(l.EP), int32(l.ETP),
		int32(l.Zero), int32(l.Shard), int32(l.HPZ), int32(l.First), int32(l.Last), l.Offload, l.SP}
	if set, ok := e.states[k]; ok {
		return set
	}
	s := newSite(e.p, prof, *l)
	set := s.stateSet(c)
	e.states[k] = set
	return set
}

func (s *site) stateSet(c *chain) *stateSet {
	n := len(c.stages)
	set := &stateSet{make([]held, n), make([]stateCost, n), make([]Memory, n), make([]unit.Seconds, n), make([]stepCost, n)}
	for i := range c.stages {
		st := &c.stages[i]
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

type chainKey struct{ pp, vpp, first, last int32 }

// chain is the stages of a pipeline.
type chain struct{ stages []stage }

func (e *evaluator) chain(l *Layout) *chain {
	k := chainKey{int32(l.PP), int32(l.VPP), int32(l.First), int32(l.Last)}
	if c, ok := e.chains[k]; ok {
		return c
	}
	c := &chain{stages: e.p.stages(l)}
	e.chains[k] = c
	return c
}

// estimate predicts a legal layout under a profile.
func (e *evaluator) estimate(l *Layout, prof *Profile) Estimate {
	c := e.chain(l)
	layers := e.layerSet(prof, l)
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
	for _, size := range []int{s.tp.Size, s.cp.Size, s.hop.Size, s.data.Size, s.ep.Size} {
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
