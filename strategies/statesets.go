package strategies

import (
	"planner/hardware/unit"
)

type stateKey struct {
	profile              *Profile
	parts                *chain
	tp, cp, dp, pp, vpp  int32
	ep, etp, zero, shard int32
	hpz                  int32
	offload              Offload
	sp                   bool      // gradients of replicated weights
	recompute            Recompute // where a recomputed pass gathers again
	full                 int32
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
		int32(l.Zero), int32(l.Shard), int32(l.HPZ), l.Offload, l.SP, RecomputeNone, 0}
	if prof.gathersLayers(l.Zero) {
		k.vpp = 0 // calls by layer, not by model chunk
		if prof.Comm.Reuse > 0 && l.Recompute == RecomputeFull {
			k.recompute, k.full = l.Recompute, int32(l.FullLayers)
		}
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
		set.held[i].copies = s.hostCopies(&set.held[i])
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
