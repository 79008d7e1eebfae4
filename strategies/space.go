package strategies

import (
	"slices"

	"planner/hardware/unit"
)

// Space is the set of layouts that a search tries: the values of each
// dimension, nil for every one that divides. The zero Space is the default of
// `planner suggest`.
type Space struct {
	TP, PP, VPP, CP, EP, ETP []int
	Zero, Shard, MBS, HPZ    []int
	SP                       []bool
	Recompute                []Recompute
	FullLayers               int
	Schedules                []Schedule // of pipelines; nil: 1F1B, interleaved with VPP
	First, Last              int
	CPKinds                  []CPKind
	Dispatchers              []Dispatcher
	Offload                  []Offload

	MinDP, MaxDP int
	MaxMemory    unit.Bytes // 0: what the accelerator lets a process use
	// Exclude refuses layouts that match every pair of one of these.
	Exclude []Pattern
}

// Pattern is a partial layout: the keys it names must match.
type Pattern map[string]string

func (p Pattern) matches(l *Layout) bool {
	for key, want := range p {
		if l.value(key) != want {
			return false
		}
	}
	return true
}

// with returns the defaults filled in.
func (s Space) with(p *Problem) Space {
	def := func(v *[]int, d ...int) {
		if *v == nil {
			*v = d
		}
	}
	def(&s.Zero, s.splitting()...)
	def(&s.MBS, 1, 2, 4, 8, 16)
	def(&s.HPZ, 0)
	if s.SP == nil {
		s.SP = []bool{true, false}
	}
	if s.Recompute == nil {
		s.Recompute = []Recompute{RecomputeNone, RecomputeSelective, RecomputeFull}
	}
	if s.Schedules == nil {
		s.Schedules = []Schedule{OneFOneB, Interleaved}
	}
	if s.CPKinds == nil {
		s.CPKinds = p.exchanges()
	}
	if s.Dispatchers == nil {
		s.Dispatchers = []Dispatcher{DispatchAllToAll}
	}
	if s.Offload == nil {
		s.Offload = []Offload{OffloadNone}
	}
	if p.Work.Forward {
		s.Recompute, s.Zero = []Recompute{RecomputeNone}, intersect(s.Zero, []int{0, 3})
	}
	return s
}

// exchanges returns how context parallelism exchanges where nothing is asked: in
// a ring, or otherwise where windows or the frameworks asked rule that out.
func (p *Problem) exchanges() []CPKind {
	ring := func(f *Profile) bool { return slices.Contains(f.Can.CPKinds, CPP2P.String()) }
	if !slides(p.Model) && (slices.ContainsFunc(p.Profiles, ring) || len(p.Profiles) == 0) {
		return []CPKind{CPP2P}
	}
	return []CPKind{CPAllGather, CPA2A}
}

// splitting returns the ZeRO stages that have what the space asks for: stage 0
// has no shard and offloads nothing, only stage 3 has a secondary shard and
// offloads parameters.
func (s *Space) splitting() []int {
	hpz := s.HPZ != nil && !slices.Contains(s.HPZ, 0)
	offload := s.Offload != nil && !slices.Contains(s.Offload, OffloadNone)
	switch {
	case hpz, offload && !slices.Contains(s.Offload, OffloadOptimizer):
		return []int{3}
	case offload, s.Shard != nil:
		return []int{1, 2, 3}
	}
	return []int{0, 1, 2, 3}
}

func intersect(a, b []int) []int {
	return slices.DeleteFunc(slices.Clone(a), func(v int) bool { return !slices.Contains(b, v) })
}

// allows reports whether v is among the values of a dimension; nil allows all.
func allows(values []int, v int) bool { return values == nil || slices.Contains(values, v) }

// divisors returns the divisors of n in increasing order.
func divisors(n int) []int {
	var low, high []int
	for d := 1; d*d <= n; d++ {
		if n%d != 0 {
			continue
		}
		low = append(low, d)
		if d != n/d {
			high = append(high, n/d)
		}
	}
	slices.Reverse(high)
	return append(low, high...)
}

// folds returns the (EP, ETP) pairs of a model with experts on ranks of one
// stage: EP divides every number of experts, ETP is TP or 1, and both divide
// the ranks. A dense model has the one pair (1, TP).
func (p *Problem) folds(s *Space, tp, ranks int) [][2]int {
	if !moe(p.Model) {
		return [][2]int{{1, tp}}
	}
	var out [][2]int
	for _, ep := range divisors(p.experts()) {
		if !allows(s.EP, ep) {
			continue
		}
		for _, etp := range etps(s, tp) {
			if ranks%(ep*etp) == 0 && p.expertSplits(etp) {
				out = append(out, [2]int{ep, etp})
			}
		}
	}
	return out
}

func etps(s *Space, tp int) []int {
	if s.ETP != nil {
		return s.ETP
	}
	if tp == 1 {
		return []int{1}
	}
	return []int{tp, 1}
}

// experts returns the greatest common divisor of the routed experts of all
// layers.
func (p *Problem) experts() int {
	g := 0
	for i := range p.Model.Kinds {
		if n := p.Model.Kinds[i].FFN.Experts; n > 0 {
			g = gcd(n, g)
		}
	}
	return max(g, 1)
}

func (p *Problem) expertSplits(etp int) bool {
	for i := range p.Model.Kinds {
		if f := &p.Model.Kinds[i].FFN; f.Experts > 0 && f.ExpertWidth%etp != 0 {
			return false
		}
	}
	return true
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
