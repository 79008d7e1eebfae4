package strategies

import (
	"container/heap"
	"sort"

	"planner/hardware/unit"
)

// add keeps an estimate where it is among the best.
func (f *found) add(e *Estimate, o *Options) {
	keep(&f.Least, e, leaner)
	if !e.Fits {
		return
	}
	f.Fitting++
	if e.Layout.PP == 1 {
		keep(&f.NoPipeline, e, faster)
	}
	if e.Layout.TP == 1 {
		keep(&f.NoTensor, e, faster)
	}
	f.addFront(e)
	switch {
	case o.KeepAll || len(f.Ranking) < o.Top:
		if o.KeepAll {
			f.Ranking = append(f.Ranking, *e)
		} else {
			heap.Push((*worstFirst)(&f.Ranking), *e)
		}
	case compare(*e, f.Ranking[0]) < 0:
		f.Ranking[0] = *e
		heap.Fix((*worstFirst)(&f.Ranking), 0)
	}
}

// keep copies e into *dst when it is better; most are not, and cost no memory.
func keep(dst **Estimate, e *Estimate, less func(a, b *Estimate) bool) {
	switch {
	case *dst == nil:
		c := *e
		*dst = &c
	case less(e, *dst):
		**dst = *e
	}
}

// addFront keeps the Pareto front of step and memory, sorted by step.
func (f *found) addFront(e *Estimate) {
	i := sort.Search(len(f.Front), func(i int) bool { return f.Front[i].Step > e.Step })
	if i > 0 && f.Front[i-1].Memory.Total() <= e.Memory.Total() {
		return
	}
	j := i
	for j < len(f.Front) && f.Front[j].Memory.Total() >= e.Memory.Total() {
		j++
	}
	if j == i {
		f.Front = append(f.Front, Estimate{})
		copy(f.Front[i+1:], f.Front[i:])
		f.Front[i] = *e
		return
	}
	f.Front[i] = *e
	f.Front = append(f.Front[:i+1], f.Front[j:]...)
}

// FastestWithin returns the fastest layout that takes no more than a memory, or
// nil. It is on the front: what would displace it is as lean and faster.
func (r *Result) FastestWithin(memory unit.Bytes) *Estimate {
	for i := range r.Front {
		if r.Front[i].Memory.Total() <= memory {
			return &r.Front[i]
		}
	}
	return nil
}

// worstFirst is a heap of the best estimates with the slowest on top.
type worstFirst []Estimate

func (h worstFirst) Len() int { return len(h) }

func (h worstFirst) Less(i, j int) bool { return compare(h[i], h[j]) > 0 }

func (h worstFirst) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

func (h *worstFirst) Push(x any) { *h = append(*h, x.(Estimate)) }

func (h *worstFirst) Pop() any {
	old := *h
	e := old[len(old)-1]
	*h = old[:len(old)-1]
	return e
}
