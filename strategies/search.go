package strategies

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"planner/hardware/unit"
)

// Options steer a search.
type Options struct {
	Top      int // how many estimates to keep, best first; 0: 10
	KeepAll  bool
	Workers  int                       // 0: one per processor
	Progress func(done, of, legal int) // called now and then, from any worker
}

// Result is what a search found.
type Result struct {
	Legal, Fitting int
	Rejected       map[Rule]int
	Example        map[Rule]*Violation // one of each rule that refused something
	Ranking        []Estimate          // fitting layouts, fastest first
	Front          []Estimate          // Pareto front of step time and memory, fastest first
	NoPipeline     *Estimate           // fastest with pp=1
	NoTensor       *Estimate           // fastest with tp=1
	// Least is the layout that needs the least memory, fitting or not.
	Least       *Estimate
	Elapsed     time.Duration
	Interrupted bool
	Tried       map[string][]int // values tried by dimension
}

// Search estimates every legal layout of the space, none sampled or pruned, and
// ranks those that fit. A cancelled context ends it early with what it has.
func Search(ctx context.Context, p *Problem, space Space, o Options) *Result {
	start := time.Now()
	space = space.with(p)
	if o.Top == 0 {
		o.Top = 10
	}
	if o.Workers == 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if space.MaxMemory > 0 {
		limited := *p
		limited.Usable = min(space.MaxMemory, p.Capacity())
		p = &limited
	}
	r := runWorkers(ctx, p, &space, &o)
	r.Elapsed = time.Since(start)
	r.Interrupted = ctx.Err() != nil
	return r
}

// part is the share of the space that one worker takes at a time: it has the
// blocks of its layers to itself.
type part struct{ tp, cp int }

// refuse counts n layouts that a rule refuses; why explains the first.
func (f *found) refuse(rule Rule, n int, why func() *Violation) {
	if f.Rejected[rule] == 0 {
		f.Example[rule], f.at[rule] = why(), f.part
	}
	f.Rejected[rule] += n
}

// parts lists the (TP, CP) pairs, and counts the values refused.
func parts(p *Problem, s *Space, f *found) []part {
	var out []part
	for _, tp := range divisors(p.Cluster.GPUs) {
		if !allows(s.TP, tp) {
			continue
		}
		if !TPFits(p.Model, tp) {
			f.refuse(RuleHeads, 1, func() *Violation { return p.checkHeads(&Layout{TP: tp}, nil) })
			continue
		}
		for _, cp := range divisors(p.Cluster.GPUs / tp) {
			if !allows(s.CP, cp) {
				continue
			}
			if cp > 1 && p.Work.Seq%(2*cp) != 0 {
				f.refuse(RuleSequence, 1, func() *Violation { return p.checkSequence(&Layout{TP: tp, CP: cp}, nil) })
				continue
			}
			out = append(out, part{tp, cp})
		}
	}
	return out
}

func runWorkers(ctx context.Context, p *Problem, s *Space, o *Options) *Result {
	total := newFound()
	total.Tried = map[string][]int{}
	todo := parts(p, s, total)
	var next, done, legal atomic.Int64
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range min(o.Workers, max(1, len(todo))) {
		wg.Go(func() {
			w := newWalker(ctx, p, s, o)
			for {
				i := int(next.Add(1)) - 1
				if i >= len(todo) || ctx.Err() != nil {
					break
				}
				before := w.found.Legal
				w.found.part = i + 1
				w.walk(todo[i])
				n := legal.Add(int64(w.found.Legal - before))
				if o.Progress != nil {
					o.Progress(int(done.Add(1)), len(todo), int(n))
				}
			}
			mu.Lock()
			defer mu.Unlock()
			total.merge(w.found)
		})
	}
	wg.Wait()
	total.finish(o)
	return &total.Result
}

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
func (r *found) merge(f *found) {
	r.Legal += f.Legal
	r.Fitting += f.Fitting
	for k, n := range f.Rejected {
		if r.Rejected[k] == 0 || f.at[k] < r.at[k] {
			r.Example[k], r.at[k] = f.Example[k], f.at[k]
		}
		r.Rejected[k] += n
	}
	r.Ranking = append(r.Ranking, f.Ranking...)
	r.Front = append(r.Front, f.Front...)
	better(&r.NoPipeline, f.NoPipeline, faster)
	better(&r.NoTensor, f.NoTensor, faster)
	better(&r.Least, f.Least, leaner)
	for dim, values := range f.tried {
		for v := range values {
			if !slices.Contains(r.Tried[dim], v) {
				r.Tried[dim] = append(r.Tried[dim], v)
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

// faster and leaner order two estimates.
func faster(a, b *Estimate) bool { return compare(*a, *b) < 0 }

func leaner(a, b *Estimate) bool {
	if x, y := a.Memory.Total(), b.Memory.Total(); x != y {
		return x < y
	}
	return compare(*a, *b) < 0
}

func better(dst **Estimate, e *Estimate, less func(a, b *Estimate) bool) {
	if e != nil && (*dst == nil || less(e, *dst)) {
		*dst = e
	}
}

// compare orders by step, then memory, then the layout itself, so that a
// ranking does not depend on the order of the workers.
func compare(a, b Estimate) int {
	switch {
	case a.Step != b.Step:
		return sign(float64(a.Step - b.Step))
	case a.Memory.Total() != b.Memory.Total():
		return sign(float64(a.Memory.Total() - b.Memory.Total()))
	}
	if a.Layout == b.Layout {
		return 0
	}
	if a.Layout.String() < b.Layout.String() {
		return -1
	}
	return 1
}

func sign(x float64) int {
	if x < 0 {
		return -1
	}
	return 1
}
