package strategies_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"planner/costmodel/timeline"
	"planner/strategies"
)

// maxPasses bounds the timelines that tests walk.
const maxPasses = 20000

func passes(d *drawn) int {
	return d.p.Work.GlobalBatch / (d.l.DP * d.l.MBS) * d.l.PP * d.l.VPP
}

// TestTimeline holds the closed forms of the search against the walk of the
// very tasks. They agree within 0.5 % for gpipe and 1f1b. Interleaving may stray on
// a few layouts, when one chunk is much longer than the others (an LM head beside
// small layers), and zb-h1 on one in eighty (12 of 1,003, none by 4 %).
func TestTimeline(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	ps := problems(t)
	strays := map[strategies.Schedule]int{}
	walked, pipelined := 0, map[strategies.Schedule]int{}
	for i := 0; walked < 3000; i++ {
		d := draw(r, ps[i%len(ps)])
		if passes(&d) > maxPasses {
			continue
		}
		walked++
		e := d.p.Estimate(d.l, d.f)
		dev := float64(e.Step/d.p.Timeline(d.l, d.f).Makespan()) - 1
		if d.l.PP == 1 && math.Abs(dev) > 1e-9 {
			t.Fatalf("%s on %s: closed form %+.2g off the walk without a pipeline", d.l, d.p.Model.Name, dev)
		}
		pipelined[d.l.Schedule]++
		switch {
		case math.Abs(dev) <= 0.005:
		case d.l.Schedule == strategies.GPipe || math.Abs(dev) > 0.12:
			t.Errorf("%s on %s: closed form %+.4f off the walk", d.l, d.p.Model.Name, dev)
		default:
			strays[d.l.Schedule]++
		}
	}
	for s, share := range map[strategies.Schedule]float64{strategies.OneFOneB: 0.005, strategies.Interleaved: 0.02, strategies.ZBH1: 0.02} {
		if n := pipelined[s]; float64(strays[s]) > share*float64(n) {
			t.Errorf("%s: %d of %d layouts off by more than 0.5 %%, want at most %v", s, strays[s], n, share)
		}
	}
	t.Logf("%d walked, %v by schedule, off by more than 0.5 %%: %v", walked, pipelined, strays)
}

// TestTimelineBusy checks that the tasks of the slowest rank do what the
// estimate books on it: kernels and host time on the compute stream, exposed
// communication on the streams of the axes.
func TestTimelineBusy(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	ps := problems(t)
	for i := range 300 {
		d := draw(r, ps[i%len(ps)])
		if passes(&d) > maxPasses {
			continue
		}
		e := d.p.Estimate(d.l, d.f)
		tl := d.p.Timeline(d.l, d.f)
		busy := tl.Busy(e.Slowest, timeline.Compute)
		// Stragglers are overhead in the estimate and stretch every stream in the walk.
		late := d.f.FitFor(d.p.Cluster.GPU.Arch).Straggler * math.Max(0, math.Log2(float64(d.p.Cluster.GPUs)/8))
		want := e.Compute + e.Optimizer + e.Overhead
		if least := want - e.Step.Times(late/(1+late)); busy > want+1e-9 || float64(busy) < 0.85*float64(least) {
			t.Errorf("%s on %s: compute stream busy for %v, the estimate books %v", d.l, d.p.Model.Name, busy, want)
		}
	}
}
