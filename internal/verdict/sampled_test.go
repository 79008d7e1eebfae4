package verdict

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"planner/costmodel/collective"
	"planner/hardware"
	"planner/hardware/unit"
	"planner/verify/host"
	"planner/verify/replay"
	"planner/verify/transport"
)

// TestScaledIsWhatRuns verifies a plan of 8 ranks on 4, and on all 8 of the
// same links: what was scaled must be about what runs.
func TestScaledIsWhatRuns(t *testing.T) {
	if testing.Short() {
		t.Skip("runs for seconds")
	}
	const links = "nvlink=400MB/s,ib=40MB/s,delay=1ms"
	q := Question{Framework: "any", SeqLen: 128, Batch: 16, Rounds: 3, Budget: 15 * time.Second, Seed: 1,
		Layouts: []string{"dp=8,zero=1", "tp=2,dp=4,zero=1", "tp=2,pp=2,dp=2", "pp=4,dp=2,zero=1"}}
	few, all := q, q
	few.Emulate, few.GPUs = "2x2:"+links, 8
	all.Emulate = "4x2:" + links
	scaled, whole := measureAll(t, few), measureAll(t, all)
	if scaled.GPUs != 8 || scaled.Ranks != 4 || whole.GPUs != 0 {
		t.Errorf("%d GPUs on %d ranks, and %d on all", scaled.GPUs, scaled.Ranks, whole.GPUs)
	}
	// What else the machine does makes a run slower, never faster: each round can
	// only bring both nearer to what they take alone.
	for range 5 {
		if apart(scaled, whole) == "" {
			break
		}
		keepFaster(scaled, measureAll(t, few))
		keepFaster(whole, measureAll(t, all))
	}
	if off := apart(scaled, whole); off != "" {
		t.Error(off)
	}
	shares(t, scaled)
}

// apart names a layout that two reports measure more than a fifth apart, or "".
func apart(scaled, whole *Report) string {
	for i := range whole.Layouts {
		a, b := &scaled.Layouts[i], &whole.Layouts[i]
		if k := a.Measured / b.Measured; k < 0.8 || k > 1.2 {
			return fmt.Sprintf("%s: scaled %.1f ms, run %.1f ms: %.2f", a.Layout, 1e3*a.Measured, 1e3*b.Measured, k)
		}
	}
	return ""
}

func keepFaster(r, again *Report) {
	for i := range r.Layouts {
		r.Layouts[i].Measured = min(r.Layouts[i].Measured, again.Layouts[i].Measured)
	}
}

func measureAll(t *testing.T, q Question) *Report {
	t.Helper()
	run, err := Prepare(context.Background(), q)
	if err != nil {
		t.Fatal(err)
	}
	r, err := run.Measure(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// shares holds that every step is measured, scaled and assumed in all, and that
// every call says which it is.
func shares(t *testing.T, r *Report) {
	t.Helper()
	one := func(what string, s *Shares) {
		if sum := s.Measured + s.Scaled + s.Assumed; math.Abs(sum-1) > 1e-9 || s.Measured < 0 || s.Scaled < 0 || s.Assumed < 0 {
			t.Errorf("%s: shares %+v, of %v in all", what, *s, sum)
		}
	}
	one("report", &r.Shares)
	for i := range r.Layouts {
		one(r.Layouts[i].Layout, r.Layouts[i].Shares)
	}
	if len(r.Calls) == 0 {
		t.Error("no calls")
	}
	for _, c := range r.Calls {
		if word, _, _ := strings.Cut(c.How, " "); word != "measured" && word != "scaled" && word != "assumed:" {
			t.Errorf("%s over %s of %v bytes: %q", c.Op, c.Axis, c.Bytes, c.How)
		}
	}
}

// TestLargePlan verifies a plan of 1,024 GPUs in slow motion, two layouts of
// it: nothing needs more memory or time than a sample may take.
func TestLargePlan(t *testing.T) {
	if testing.Short() {
		t.Skip("runs for seconds")
	}
	run, err := Prepare(context.Background(), Question{Model: "70b", GPUs: 1024, Framework: "any", Rounds: 3, Budget: 10 * time.Second, Seed: 1,
		Layouts: []string{"tp=8,pp=2,dp=64,zero=1", "dp=1024,zero=3,shard=128,recompute=full"}})
	if err != nil {
		t.Fatal(err)
	}
	if !run.Sampled || run.Shape.Ranks() > maxRanks {
		t.Fatalf("sampled %v on %d ranks", run.Sampled, run.Shape.Ranks())
	}
	r, err := run.Measure(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	shares(t, r)
	for _, l := range r.Layouts {
		if k := l.Measured / l.Predicted; k < 0.7 || k > 1.3 {
			t.Errorf("%s: predicted %.2f s, scaled %.2f s", l.Layout, l.Predicted, l.Measured)
		}
	}
}

// places is a cluster of two tiers seen from nodes × per ranks.
func places(nodes, per int) *here {
	c := host.Profile(&transport.Shape{Nodes: 64, PerNode: 8, Intra: transport.Link{Bandwidth: 4e8}, Inter: transport.Link{Bandwidth: 4e7, Delay: 1e-3}})
	return newHere(c, host.Constants(c), placeOf(&transport.Shape{Nodes: nodes, PerNode: per}), 1)
}

// TestTilings: groups that fit run whole; others have smaller ones, of two
// sizes where there are two; every rank is in at most one group, and groups
// have the ranks that they say.
func TestTilings(t *testing.T) {
	for _, tt := range []struct {
		nodes, per int
		k, g       int // wanted: g ranks in each of k nodes
		whole      bool
		sizes      int
	}{
		{4, 4, 1, 4, true, 1}, {4, 4, 1, 2, true, 1}, {4, 4, 1, 8, false, 2}, {4, 1, 1, 8, false, 0},
		{4, 4, 4, 4, true, 1}, {4, 4, 2, 1, true, 1}, {4, 4, 64, 8, false, 2}, {4, 4, 64, 1, false, 2},
		{2, 4, 64, 8, false, 2}, {1, 8, 2, 4, false, 0}, {2, 2, 64, 1, false, 1},
	} {
		h := places(tt.nodes, tt.per)
		list, whole := h.within(tt.g)
		if tt.k > 1 {
			list, whole = h.across(tt.k, tt.g)
		}
		sizes := map[int]bool{}
		for _, x := range list {
			sizes[x.size] = true
			seen := map[int]bool{}
			for _, g := range h.groups(x) {
				nodes := map[int]bool{}
				for _, r := range g {
					if seen[r] || r >= h.GPUs {
						t.Errorf("%+v: rank %d twice or not there", tt, r)
					}
					seen[r], nodes[r/tt.per] = true, true
				}
				if len(g) != x.size || (tt.k > 1) != (len(nodes) > 1) {
					t.Errorf("%+v: group %v of %+v", tt, g, x)
				}
			}
			if s := h.span(x); tt.k > 1 != (s.Domains > 1) || s.Size != x.size {
				t.Errorf("%+v: %+v is placed at %+v", tt, x, s)
			}
		}
		if whole != tt.whole || len(sizes) < tt.sizes {
			t.Errorf("%d nodes of %d, %d × %d wanted: whole %v, sizes %v; want %v, %d sizes", tt.nodes, tt.per, tt.k, tt.g, whole, sizes, tt.whole, tt.sizes)
		}
	}
}

// TestFamilies makes up links with two terms, and wants both back, and what a
// larger group takes.
func TestFamilies(t *testing.T) {
	h := places(4, 4)
	for _, overlap := range []float64{1, 2} {
		s := newSampler(h, 8)
		big := collective.Call{Op: collective.AllGather, Bytes: 1 << 30, Count: 1,
			Span: hardware.Span{Stride: 8, Size: 64, Domains: 64, PerDomain: 1, Siblings: 8, Tier: 1}}
		big.Price = collective.Price{Algorithm: collective.Ring, Seconds: 2, Latency: 0.5}
		s.add(&big)
		law := fitted{latency: 1.5, slower: 3, overlap: overlap}
		var spreads []replay.Spread
		for i := range s.list {
			p := s.list[i].price
			spreads = append(spreads, replay.Spread{Median: law.time(p.Latency, p.Seconds-p.Latency), N: 1})
		}
		if s.settle(spreads); len(s.list) < 4 {
			t.Fatalf("%d samples", len(s.list))
		}
		got, want := s.terms[kindOf(&big)], law.time(0.5, 1.5)
		if got.method != scaled || math.Abs(float64(got.seconds/want)-1) > 0.02 {
			t.Errorf("overlap %v: %+v, want %v", overlap, got, want)
		}
	}
}

// TestAssumed: what the ranks at hand cannot make is assumed, and says why.
func TestAssumed(t *testing.T) {
	s := newSampler(places(1, 4), 8)
	call := func(a collective.Algorithm, span hardware.Span) *collective.Call {
		return &collective.Call{Op: collective.AllReduce, Bytes: 1 << 20, Span: span, Price: collective.Price{Algorithm: a, Seconds: 1}}
	}
	inside, across := hardware.Span{Stride: 1, Size: 4, Domains: 1, PerDomain: 4, Siblings: 1}, hardware.Span{Stride: 8, Size: 4, Domains: 4, PerDomain: 1, Siblings: 8, Tier: 1}
	for _, tt := range []struct {
		c    *collective.Call
		says string
	}{
		{call(collective.NVLS, inside), "assumed: no switch that reduces here"},
		{call(collective.Ring, across), "assumed: no two ranks on two nodes"},
		{call(collective.Tree, across), "assumed: the engine has no tree"},
	} {
		s.add(tt.c)
		if got := s.terms[kindOf(tt.c)]; got.method != assumed || !strings.HasPrefix(got.how, tt.says) {
			t.Errorf("%v: %+v, want %q", tt.c.Algorithm, got, tt.says)
		}
	}
	s.settle(nil)
	if got := s.terms[kindOf(call(collective.NVLS, inside))].seconds; got != 1 {
		t.Errorf("an assumed call takes %v, want its prediction", got)
	}
}

// TestSlowMotion: links in slow motion keep the ratios of the plan's, within
// the perturbation, and stay at rates that a machine moves.
func TestSlowMotion(t *testing.T) {
	run, err := Prepare(context.Background(), Question{Model: "8b", GPUs: 64, Framework: "any", Top: 1, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	s := run.Shape
	h := newHere(run.Problem.Cluster, run.links, placeOf(s), 1)
	for _, outer := range []bool{false, true} {
		rate, step := h.rate(outer)
		link := s.Intra
		if outer {
			link = s.Inter
		}
		if k := float64(link.Bandwidth) * run.slow / float64(rate); math.Abs(k-1) > perturbation+1e-9 {
			t.Errorf("outer %v: rate × %v", outer, k)
		}
		if k := float64(link.Delay+host.Wake) / float64(step) / run.slow; math.Abs(k-1) > perturbation+1e-9 {
			t.Errorf("outer %v: step × %v", outer, k)
		}
		if link.Bandwidth > unit.BytesPerSecond(2*slowRate) {
			t.Errorf("outer %v: %v is more than two cores move", outer, link.Bandwidth)
		}
	}
}
