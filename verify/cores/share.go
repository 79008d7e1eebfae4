// Package cores knows the processor cores that this process may use, ties
// threads to them, and shares them among the ranks of a host.
package cores

import "runtime"

// Set is the cores that one process may use.
type Set struct {
	Cores []int `json:"cores,omitempty"` // their numbers
	// Limit is how many of them may work at a time, where a quota of the
	// control group or GOMAXPROCS allows fewer; 0 without such a limit.
	Limit int `json:"limit,omitempty"`
}

// Own returns the set of this process as it was when it began.
func Own() Set {
	s := Set{Cores: Numbers()}
	if p := runtime.GOMAXPROCS(0); p < max(len(s.Cores), runtime.NumCPU()) {
		s.Limit = p
	}
	return s
}

// Share gives every process of a host a core: core i is that of sets[i], -1 if
// that is empty. own is false when there are too few for one each; then every
// process takes the one of its cores that fewest have, so that the kernel need
// not spread them. All processes that share the same sets come to the same
// answer. A core each is a bipartite matching by augmenting paths (Kuhn, The
// Hungarian method for the assignment problem, 1955).
func Share(sets []Set) (core []int, own bool) {
	core, own = make([]int, len(sets)), true
	taken := map[int]int{} // core to process
	for i, s := range sets {
		own = own && (s.Limit == 0 || s.Limit >= len(sets)) && augment(sets, i, taken, map[int]bool{})
	}
	if !own {
		return spread(sets), false
	}
	for c, i := range taken {
		core[i] = c
	}
	return core, true
}

// spread lets processes share cores evenly.
func spread(sets []Set) []int {
	core, load := make([]int, len(sets)), map[int]int{}
	for i, s := range sets {
		core[i] = -1
		for _, c := range s.Cores {
			if core[i] < 0 || load[c] < load[core[i]] {
				core[i] = c
			}
		}
		load[core[i]]++
	}
	return core
}

// augment finds a core for process i, moving others if need be.
func augment(sets []Set, i int, taken map[int]int, tried map[int]bool) bool {
	for _, core := range sets[i].Cores {
		if _, ok := taken[core]; !ok {
			taken[core] = i
			return true
		}
	}
	for _, core := range sets[i].Cores {
		if tried[core] {
			continue
		}
		tried[core] = true
		if augment(sets, taken[core], taken, tried) {
			taken[core] = i
			return true
		}
	}
	return false
}
