// Package verdict checks a ranking by running it: it chooses layouts of a plan
// for a small cluster, replays them on the engine, compares and judges.
package verdict

import (
	"context"
	"math"

	"planner/costmodel"
	"planner/hardware"
	"planner/internal/catalog"
	"planner/strategies"
	"planner/verify/host"
)

// delays is the fit of a framework whose computation is delays: no launches,
// no host time, nothing that slows a call beside compute. Calls that stand
// between delays are exposed whole; gradients and parameters hide behind them.
var delays = strategies.ProfileFit{
	TPExposed: 1, TPBeside: 1, CPExposed: 1, EPExposed: 1, PPExposed: 1, DPExposed: 0,
	Pointwise: 1, LossBytes: 30, Optimizer: 1, Compute: 1, Saved: 1,
}

// buckets is how many gradient buckets the parameters of a small model fill, as
// Megatron's 40 M elements fill some of a large one.
const buckets = 8

// Problem joins a model and a profile of emulated links into the planner's
// question. Prices come from the planner's own model of collectives, with the
// constants that the profile's tiers state.
func Problem(m *costmodel.Model, c *hardware.Cluster, seq, batch int, framework string) (*strategies.Problem, error) {
	profiles, err := catalog.Profiles(framework)
	if err != nil {
		return nil, catalog.Errorf("--framework %q: no such framework: see planner frameworks", framework)
	}
	for i, p := range profiles {
		own := *p
		own.Fit, own.Default = nil, delays
		if own.Comm.Bucket > 0 {
			own.Comm.Bucket, own.Comm.BucketPerDP = max(1, int(m.Parameters()/buckets)), 0
		}
		profiles[i] = &own
	}
	if c.GPU.Arch == host.Arch { // its computation is delays, whatever was fitted on accelerators
		own, gpu := *c, *c.GPU
		gpu.Fit = hardware.Efficiency{}
		own.GPU = &gpu
		c = &own
	}
	kernels, err := catalog.LoadKernels(c.GPU.Arch, c.GPU.Name)
	if err != nil {
		return nil, err
	}
	w := strategies.Workload{Seq: seq, GlobalBatch: batch, Precision: hardware.BF16}
	if err := catalog.Computes(c.GPU, w.Precision); err != nil {
		return nil, err
	}
	links, err := catalog.Collectives()
	if err != nil {
		return nil, err
	}
	return strategies.NewProblem(m, c, w, profiles, kernels.Constants, links), nil
}

// space is what is replayed: recomputation changes no order that links decide,
// more micro-batch sizes would fill the list with near twins, and exchanges of
// context parallelism share links with what hides behind them, which the plan
// does not price.
var space = strategies.Space{CP: []int{1}, Zero: []int{0, 1, 3}, MBS: []int{1, 2}, SP: []bool{true}, Recompute: []strategies.Recompute{strategies.RecomputeNone}}

// slowestSpread is how much slower than the best a layout may be that shows the
// low end of a ranking: beyond, a step costs time and proves little.
const slowestSpread = 4

// choose returns up to n layouts of the search, best first: the best ones, or
// spread evenly, in ratio, from the best down to four times its time.
func choose(ctx context.Context, p *strategies.Problem, where strategies.Space, n int, spread bool) []strategies.Estimate {
	r := strategies.Search(ctx, p, where, strategies.Options{KeepAll: true})
	list := r.Ranking
	if !spread || len(list) <= n {
		return list[:min(n, len(list))]
	}
	return spreadOver(list, n)
}

// spreadOver picks n layouts, fastest first, each slower than the one before by
// the largest ratio that leaves n.
func spreadOver(list []strategies.Estimate, n int) []strategies.Estimate {
	low, high := 1.0, float64(slowestSpread)
	for range 40 {
		if mid := math.Sqrt(low * high); len(ladder(list, mid)) >= n {
			low = mid
		} else {
			high = mid
		}
	}
	out := ladder(list, low)
	return out[:min(n, len(out))]
}

// ladder returns the layouts, fastest first, that are each at least ratio times
// slower than the one before.
func ladder(list []strategies.Estimate, ratio float64) []strategies.Estimate {
	var out []strategies.Estimate
	next := 0.0
	for i := range list {
		t := float64(list[i].Step)
		if t > slowestSpread*float64(list[0].Step) {
			break
		}
		if t >= next {
			out = append(out, list[i])
			next = t * ratio
		}
	}
	return out
}
