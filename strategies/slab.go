package strategies

import "planner/hardware/unit"

// slab hands out small arrays from a large one, so that a search allocates
// rarely. A reset takes all of them back.
type slab[T any] struct {
	all  []T
	used int
}

// take returns n zero values.
func (s *slab[T]) take(n int) []T {
	if s.used+n > len(s.all) {
		s.all, s.used = make([]T, max(n, 2*len(s.all), 4)), 0
	}
	out := s.all[s.used : s.used+n : s.used+n]
	s.used += n
	clear(out)
	return out
}

// slabs holds the blocks of an evaluator.
type slabs struct {
	layers slab[layerSet]
	states slab[stateSet]
	held   slab[held]
	cost   slab[stateCost]
	memory slab[Memory]
	step   slab[unit.Seconds]
	hops   slab[hopTime]
	sums   slab[stageRun]
	tiny   slab[stepCost]
}

func (s *slabs) reset() {
	s.layers.used, s.states.used, s.held.used, s.cost.used = 0, 0, 0, 0
	s.memory.used, s.step.used, s.tiny.used, s.hops.used, s.sums.used = 0, 0, 0, 0, 0
}
