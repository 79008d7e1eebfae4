package strategies

// Resolution is the relative difference of step time that the model can tell
// apart between layouts of one framework. Of two runs of a published sweep that
// are predicted further apart three in four and more are in the right order, of
// closer ones two in three (docs/ACCURACY.md, order of layouts).
const Resolution = 0.05

// TieGroups numbers the estimates of a ranking, fastest first: a new group
// starts with the first layout that is slower than the fastest of the group
// by more than the resolution.
func TieGroups(ranking []Estimate) []int {
	groups := make([]int, len(ranking))
	group, start := 0, 0.0
	for i := range ranking {
		if t := float64(ranking[i].Step); i == 0 || t > start*(1+Resolution) {
			group, start = group+1, t
		}
		groups[i] = group
	}
	return groups
}

// LeastMemory returns the layout of the Pareto front that takes the least
// memory within share of the fastest step, or nil.
func (r *Result) LeastMemory(share float64) *Estimate {
	var best *Estimate
	for i := range r.Front {
		e := &r.Front[i]
		if float64(e.Step) <= float64(r.Front[0].Step)*(1+share) {
			best = e
		}
	}
	return best
}
