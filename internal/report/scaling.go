package report

import (
	"context"
	"fmt"

	"planner/internal/catalog"
	"planner/strategies"
)

// Point is the best layout of one number of GPUs, at the same global batch.
type Point struct {
	GPUs  int
	Best  *strategies.Estimate // nil: Why says why there is none
	Rates strategies.Rates
	Cost  Cost
	Here  bool // the number of GPUs that was asked about
	Why   string
}

// scaling searches a eighth to eight times the GPUs, by powers of two: strong
// scaling. At the number asked about the point is the pick itself.
func (r *Review) scaling(ctx context.Context) []Point {
	var out []Point
	gpus := r.Answer.GPUs
	for _, f := range [][2]int{{1, 8}, {1, 4}, {1, 2}, {1, 1}, {2, 1}, {4, 1}, {8, 1}} {
		n := gpus * f[0] / f[1]
		if n < 1 || gpus*f[0]%f[1] != 0 || n > catalog.MaxGPUs || ctx.Err() != nil {
			continue
		}
		if n == gpus {
			e := &r.Pick.Estimate
			out = append(out, Point{GPUs: n, Best: e, Rates: r.Answer.Problem.Rates(e), Cost: r.cost(r.Answer.Problem, e), Here: true})
			continue
		}
		r.say(fmt.Sprintf("best of %d GPUs", n))
		out = append(out, r.point(ctx, n))
	}
	return out
}

func (r *Review) point(ctx context.Context, n int) Point {
	a, err := r.withGPUs(n)
	if err != nil {
		return Point{GPUs: n, Why: err.Error()}
	}
	found := a.Search(ctx, r.Space, strategies.Options{Top: 1})
	switch {
	case len(found.Ranking) > 0:
		e := &found.Ranking[0]
		return Point{GPUs: n, Best: e, Rates: a.Problem.Rates(e), Cost: r.cost(a.Problem, e)}
	case found.Legal == 0:
		return Point{GPUs: n, Why: "no legal layout"}
	case found.Least != nil:
		return Point{GPUs: n, Why: fmt.Sprintf("nothing fits: %.1f GiB short", (found.Least.Memory.Total() - a.Problem.Capacity()).GiB())}
	}
	return Point{GPUs: n, Why: "nothing fits"}
}
