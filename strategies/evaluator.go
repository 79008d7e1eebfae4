package strategies

import (
	"planner/costmodel"
	"planner/hardware"
)

// evaluator estimates layouts of one problem. It caches blocks by key, so that
// a layout met after its neighbours costs a few additions. It is not safe for
// concurrent use; a search has one per worker.
type evaluator struct {
	p      *Problem
	layers map[layerKey]*layerSet
	joins  map[hopKey]*layerSet // layers with the hops of a pipeline
	states map[stateKey]*stateSet
	chains map[chainKey]*chain

	// The sets met last: a search changes few keys from one layout to the next.
	recent    [2 * numRecompute]recentLayers // by recomputation, without and with SP
	lastState stateKey
	state     *stateSet
	lastChain chainKey
	recently  *chain

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
	e.at.init(prof, fit, *l)
	return &e.at
}

func newEvaluator(p *Problem) *evaluator {
	return &evaluator{p: p, at: site{p: p, places: hardware.NewPlacer(p.Cluster)}, layers: map[layerKey]*layerSet{}, joins: map[hopKey]*layerSet{},
		states: map[stateKey]*stateSet{}, chains: map[chainKey]*chain{}, fits: map[*Profile]*ProfileFit{}}
}

// reset forgets the blocks, which bounds the memory of a long search.
func (e *evaluator) reset() {
	clear(e.layers)
	clear(e.joins)
	clear(e.states)
	clear(e.recent[:])
	e.state, e.hop = nil, hopMemo{}
	e.slabs.reset()
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
	if e.recently != nil && e.lastChain == k {
		return e.recently
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
	e.lastChain, e.recently = k, c
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
