package strategies

import (
	"slices"

	"planner/hardware/unit"
)

// found is what one worker has.
type found struct {
	Result
	tried map[string]map[int]bool
	part  int          // at hand, from 1; 0 before the first
	at    map[Rule]int // the parts of the examples
}

func newFound() *found {
	f := &found{tried: map[string]map[int]bool{}, at: map[Rule]int{}}
	f.Rejected, f.Example = map[Rule]int{}, map[Rule]*Violation{}
	return f
}

// merge adds what a worker found. Of two examples that of the earlier part
// stays, so that it does not depend on the workers.
func (f *found) merge(of *found) {
	f.Legal += of.Legal
	f.Fitting += of.Fitting
	for k, n := range of.Rejected {
		if f.Rejected[k] == 0 || of.at[k] < f.at[k] {
			f.Example[k], f.at[k] = of.Example[k], of.at[k]
		}
		f.Rejected[k] += n
	}
	f.Ranking = append(f.Ranking, of.Ranking...)
	f.Front = append(f.Front, of.Front...)
	better(&f.NoPipeline, of.NoPipeline, faster)
	better(&f.NoTensor, of.NoTensor, faster)
	better(&f.Least, of.Least, leaner)
	for dim, values := range of.tried {
		for v := range values {
			if !slices.Contains(f.Tried[dim], v) {
				f.Tried[dim] = append(f.Tried[dim], v)
			}
		}
	}
}

func (r *Result) finish(o *Options) {
	slices.SortFunc(r.Ranking, compare)
	if !o.KeepAll && len(r.Ranking) > o.Top {
		r.Ranking = r.Ranking[:o.Top]
	}
	slices.SortFunc(r.Front, compare)
	front := r.Front[:0]
	least := unit.Bytes(0)
	for _, e := range r.Front {
		if len(front) == 0 || e.Memory.Total() < least {
			front = append(front, e)
			least = e.Memory.Total()
		}
	}
	r.Front = front
	for _, v := range r.Tried {
		slices.Sort(v)
	}
}

// refuse counts n layouts that a rule refuses; why explains the first.
func (f *found) refuse(rule Rule, n int, why func() *Violation) {
	if f.Rejected[rule] == 0 {
		f.Example[rule], f.at[rule] = why(), f.part
	}
	f.Rejected[rule] += n
}

// dividing returns the values asked of a degree that divide the GPUs which the
// others leave; none is a refusal.
func (f *found) dividing(p *Problem, asked []int, with func(n int) Layout) []int {
	first := with(1)
	left := p.Cluster.GPUs / (max(1, first.TP) * max(1, first.CP))
	out := slices.DeleteFunc(divisors(left), func(n int) bool { return !allows(asked, n) })
	if len(out) == 0 {
		f.refuse(RuleWorld, 1, func() *Violation {
			_, v := with(slices.Min(asked)).Complete(p.Cluster.GPUs)
			return v
		})
	}
	return out
}
