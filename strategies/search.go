package strategies

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
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

// parts lists the (TP, CP) pairs, and counts the values refused.
func parts(p *Problem, s *Space, f *found) []part {
	var out []part
	for _, tp := range f.dividing(p, s.TP, func(tp int) Layout { return Layout{TP: tp} }) {
		if !TPFits(p.Model, tp) {
			f.refuse(RuleHeads, 1, func() *Violation { return p.checkHeads(&Layout{TP: tp}, nil) })
			continue
		}
		for _, cp := range f.dividing(p, s.CP, func(cp int) Layout { return Layout{TP: tp, CP: cp} }) {
			if cp > 1 && p.Work.Seq%(2*cp) != 0 {
				f.refuse(RuleSequence, 1, func() *Violation { return p.checkSequence(&Layout{TP: tp, CP: cp}, nil) })
				continue
			}
			if l := (Layout{TP: tp, CP: cp}); cp > 1 && !scanFits(p.Model, &l) {
				f.refuse(RuleHeads, 1, func() *Violation { return p.checkSequence(&l, nil) })
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
