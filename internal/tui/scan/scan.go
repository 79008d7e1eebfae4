// Package scan searches in parts, so that a table can rank what is known
// while the rest is still tried. It knows problems, not terminals.
package scan

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"planner/hardware/unit"
	"planner/internal/bands"
	"planner/strategies"
)

// Job is one search: the space, how many layouts to keep, and whether those
// that do not fit are wanted too.
type Job struct {
	Problem *strategies.Problem
	Space   strategies.Space
	Keep    int
	Unfit   bool
}

// Found is what a search knows so far.
type Found struct {
	Legal, Fitting int
	Ranking        []strategies.Estimate // those that fit, fastest first
	Front          []strategies.Estimate // Pareto front of step and memory
	Unfit          []strategies.Estimate // those that do not, fastest first
	Rejected       map[strategies.Rule]int
	Part, Parts    int
	Elapsed        time.Duration
}

// Run searches some tensor-parallel degrees at a time, the likeliest first,
// and hands what it knows to emit after each. A cancelled context ends it.
func (j Job) Run(ctx context.Context, emit func(Found)) {
	start := time.Now()
	degrees := grouped(j.degrees())
	all := Found{Rejected: map[strategies.Rule]int{}, Parts: len(degrees)}
	for i, tp := range degrees {
		space := j.Space
		space.TP = tp
		r := strategies.Search(ctx, j.Problem, space, strategies.Options{Top: j.Keep})
		bands.FillAll(j.Problem, r)
		if ctx.Err() != nil {
			return
		}
		all = all.with(r, j.Keep)
		if j.Unfit {
			all.Unfit = j.unfit(ctx, space, all.Unfit)
		}
		all.Part, all.Elapsed = i+1, time.Since(start)
		emit(all)
	}
	if len(degrees) == 0 {
		emit(all)
	}
}

// degrees are those of a node from the middle out, then the larger ones: the
// best is nearly always among the first.
func (j Job) degrees() []int {
	var out []int
	for d := 1; d <= j.Problem.Cluster.GPUs && d <= maxTP; d++ {
		if j.Problem.Cluster.GPUs%d == 0 && (j.Space.TP == nil || slices.Contains(j.Space.TP, d)) {
			out = append(out, d)
		}
	}
	place := map[int]int{4: -4, 8: -3, 2: -2, 1: -1}
	slices.SortStableFunc(out, func(a, b int) int { return cmp.Compare(place[a], place[b]) })
	return out
}

// grouped divides degrees into one, two, and the rest: the more a search has
// at once, the better it fills the processors.
func grouped(degrees []int) [][]int {
	var out [][]int
	for n := 1; len(degrees) > 0; n++ {
		if n > 2 {
			n = len(degrees)
		}
		n = min(n, len(degrees))
		out, degrees = append(out, degrees[:n]), degrees[n:]
	}
	return out
}

// maxTP is above the heads of any model, so that no larger degree is legal.
const maxTP = 1024

func (f Found) with(r *strategies.Result, keep int) Found {
	f.Legal += r.Legal
	f.Fitting += r.Fitting
	f.Rejected = maps.Clone(f.Rejected)
	for rule, n := range r.Rejected {
		f.Rejected[rule] += n
	}
	f.Ranking = merge(f.Ranking, r.Ranking, keep)
	f.Front = front(merge(f.Front, r.Front, len(f.Front)+len(r.Front)))
	return f
}

// unfit searches without a limit of memory and keeps what exceeds it.
func (j Job) unfit(ctx context.Context, space strategies.Space, have []strategies.Estimate) []strategies.Estimate {
	limit := j.Problem.Capacity()
	if space.MaxMemory > 0 {
		limit = min(limit, space.MaxMemory)
	}
	free := *j.Problem
	free.Usable, space.MaxMemory = unbounded, 0
	r := strategies.Search(ctx, &free, space, strategies.Options{Top: 2 * j.Keep})
	bands.FillAll(j.Problem, r)
	var out []strategies.Estimate
	for _, e := range r.Ranking {
		if e.Memory.Total() > limit {
			e.Fits = false
			out = append(out, e)
		}
	}
	return merge(have, out, j.Keep)
}

// unbounded is memory that nothing exceeds.
const unbounded = unit.Bytes(1e18)

// merge joins two rankings, fastest first, and keeps the first of them.
func merge(a, b []strategies.Estimate, keep int) []strategies.Estimate {
	out := make([]strategies.Estimate, 0, min(len(a)+len(b), keep))
	for len(out) < keep && len(a)+len(b) > 0 {
		if len(b) == 0 || len(a) > 0 && !slower(&a[0], &b[0]) {
			out, a = append(out, a[0]), a[1:]
		} else {
			out, b = append(out, b[0]), b[1:]
		}
	}
	return out
}

func slower(a, b *strategies.Estimate) bool {
	if a.Step != b.Step {
		return a.Step > b.Step
	}
	return a.Memory.Total() > b.Memory.Total()
}

// front keeps those of a ranking that need less memory than all faster ones.
func front(ranking []strategies.Estimate) []strategies.Estimate {
	var out []strategies.Estimate
	for _, e := range ranking {
		if len(out) == 0 || e.Memory.Total() < out[len(out)-1].Memory.Total() {
			out = append(out, e)
		}
	}
	return out
}

// Empty returns a search that knows nothing yet.
func (f Found) Empty() Found { return Found{} }
