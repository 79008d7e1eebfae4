package strategies_test

import (
	"context"
	"slices"
	"testing"

	"planner/internal/ask"
	"planner/strategies"
)

// bruteForce lists every legal layout of the default space by trying all
// values of every key, without any of the search's short cuts. Layouts with
// identical calls and memory count once: no shard at zero=0, no schedule at
// pp=1, no sp at tp=1, no ZeRO without ranks to split over.
func bruteForce(p *strategies.Problem) map[string]strategies.Estimate {
	found := map[string]strategies.Estimate{}
	gpus := p.Cluster.GPUs
	try := func(l strategies.Layout) {
		l, v := l.Complete(gpus)
		train := l.Zero == 1 || l.Zero == 2 || l.Recompute != strategies.RecomputeNone // nothing to a forward pass
		if v != nil || l.Zero > 0 && l.Shard == 1 || p.Work.Forward && train {
			return
		}
		for _, f := range p.Profiles {
			if p.Check(&l, f) == nil {
				found[l.String()] = p.Estimate(l, f)
				return
			}
		}
	}
	for tp := 1; tp <= gpus; tp++ {
		for pp := 1; tp*pp <= gpus; pp++ {
			for cp := 1; tp*pp*cp <= gpus; cp++ {
				if gpus%(tp*pp*cp) == 0 {
					forceRest(p, strategies.Layout{TP: tp, PP: pp, CP: cp, DP: gpus / (tp * pp * cp)}, try)
				}
			}
		}
	}
	return found
}

func forceRest(p *strategies.Problem, l strategies.Layout, try func(strategies.Layout)) {
	for vpp := 1; vpp <= p.Model.Layers()/l.PP && (l.PP > 1 || vpp == 1); vpp++ {
		l.VPP, l.Schedule = vpp, strategies.OneFOneB
		if vpp > 1 {
			l.Schedule = strategies.Interleaved
		}
		for ep := 1; ep <= l.TP*l.CP*l.DP; ep++ {
			for _, etp := range []int{l.TP, 1} {
				l.EP, l.ETP = ep, etp
				forceState(l, try)
				if ep == 1 && l.TP == 1 {
					break
				}
			}
		}
	}
}

func forceState(l strategies.Layout, try func(strategies.Layout)) {
	for _, l.MBS = range []int{1, 2, 4, 8, 16} {
		for l.Zero = range 4 {
			for l.Shard = 1; l.Shard <= l.DP*l.CP; l.Shard++ {
				if l.Zero == 0 && l.Shard < l.DP*l.CP {
					continue
				}
				for _, l.SP = range []bool{false, true} {
					for _, l.Recompute = range []strategies.Recompute{strategies.RecomputeNone, strategies.RecomputeSelective, strategies.RecomputeFull} {
						try(l)
					}
				}
			}
		}
	}
}

// TestSearchComplete holds the search against brute force: the same layouts,
// each with the same framework and step, and the same best.
func TestSearchComplete(t *testing.T) {
	for _, q := range []ask.Question{
		{Model: "llama3.1-8b", GPUs: 8, GlobalBatch: 16},
		{Model: "llama2-7b", GPUs: 8, GlobalBatch: 24, Framework: "fsdp"},
		{Model: "llama2-7b", GPUs: 8, GlobalBatch: 24, Framework: "megatron"},
		{Model: "mixtral-8x7b", GPUs: 8, GlobalBatch: 16, Framework: "megatron", Hardware: "h200-sxm"},
		{Model: "llama3.1-8b", GPUs: 4, GlobalBatch: 8, Pass: "forward"},
	} {
		a, err := ask.Ask(q)
		if err != nil {
			t.Fatal(err)
		}
		want := bruteForce(a.Problem)
		got := strategies.Search(t.Context(), a.Problem, strategies.Space{}, strategies.Options{KeepAll: true})
		fitting := 0
		var best *strategies.Estimate
		for _, e := range want {
			if e.Fits {
				fitting++
				if best == nil || e.Step < best.Step {
					best = &e
				}
			}
		}
		if got.Legal != len(want) || got.Fitting != fitting || len(got.Ranking) != fitting {
			t.Errorf("%s on %d: %d legal and %d fitting, brute force finds %d and %d", q.Model, q.GPUs, got.Legal, got.Fitting, len(want), fitting)
		}
		for i := range got.Ranking {
			e := &got.Ranking[i]
			w, ok := want[e.Layout.String()]
			if !ok {
				t.Errorf("%s on %d: %s is not legal", q.Model, q.GPUs, e.Layout)
			} else if diff := same(e, &w, 1e-9); diff != nil || e.Framework != w.Framework {
				t.Errorf("%s on %d: %s differs in %v", q.Model, q.GPUs, e.Layout, diff)
			}
		}
		if best != nil && !near(float64(got.Ranking[0].Step), float64(best.Step), 1e-12) {
			t.Errorf("%s on %d: best is %s, brute force finds %s", q.Model, q.GPUs, got.Ranking[0].Layout, best.Layout)
		}
	}
}

// TestSearchOrder checks that a ranking is sorted, that Top keeps its head, and
// that the front is a front.
func TestSearchOrder(t *testing.T) {
	p := problems(t)[1]
	all := strategies.Search(t.Context(), p, strategies.Space{}, strategies.Options{KeepAll: true})
	top := strategies.Search(t.Context(), p, strategies.Space{}, strategies.Options{Top: 7})
	if len(top.Ranking) != 7 || !slices.EqualFunc(top.Ranking, all.Ranking[:7], func(a, b strategies.Estimate) bool { return a.Layout == b.Layout }) {
		t.Error("the best seven of a short search are not those of a long one")
	}
	for i := 1; i < len(all.Ranking); i++ {
		if all.Ranking[i].Step < all.Ranking[i-1].Step {
			t.Fatalf("%s is ranked before the faster %s", all.Ranking[i-1].Layout, all.Ranking[i].Layout)
		}
	}
	for i := 1; i < len(all.Front); i++ {
		a, b := &all.Front[i-1], &all.Front[i]
		if b.Step < a.Step || b.Memory.Total() >= a.Memory.Total() {
			t.Errorf("%s does not follow %s on a front", b.Layout, a.Layout)
		}
	}
	for i := range all.Ranking {
		e := &all.Ranking[i]
		if slices.IndexFunc(all.Front, func(f strategies.Estimate) bool { return f.Step <= e.Step && f.Memory.Total() <= e.Memory.Total() }) < 0 {
			t.Fatalf("nothing of the front is as good as %s", e.Layout)
		}
	}
}

// TestSearchInterrupted checks that a cancelled search says so.
func TestSearchInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if r := strategies.Search(ctx, problems(t)[0], strategies.Space{}, strategies.Options{}); !r.Interrupted || r.Legal > 0 {
		t.Errorf("interrupted %v, %d legal", r.Interrupted, r.Legal)
	}
}
