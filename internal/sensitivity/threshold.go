package sensitivity

import (
	"context"
	"fmt"

	"planner/hardware/unit"
	"planner/strategies"
)

// Threshold is where the choice changes: under the value Below of a figure,
// Layout is better than the chosen one by more than the model can tell.
type Threshold struct {
	Figure string
	Below  string
	Layout string
}

// rivals is how many layouts of the ranking are weighed against the chosen one
// when a figure falls.
const rivals = 50

// lowest is the share of a figure at which thresholds are looked for.
const lowest = 0.25

// thresholds bisects, for the links, the share of the bandwidth below which a
// rival overtakes: one of the best layouts now or at a quarter of it. Below
// its own need the chosen layout does not fit, which needs no search.
func (r *Result) thresholds(ctx context.Context, now *strategies.Result) error {
	p := r.Answer.Problem
	if r.Base.Fits {
		r.Thresholds = append(r.Thresholds, Threshold{"usable memory", fmt.Sprintf("%.1f GiB", r.Base.Memory.Total().GiB()), "(this one no longer fits)"})
	}
	for i := range figures {
		f := &figures[i]
		tier := map[string]int{ScaleUp: p.Cluster.ScaleUp, Network: p.Cluster.ScaleUp + 1}
		at, is := tier[f.name]
		if !is || !f.has(p.Cluster) {
			continue
		}
		q, err := f.with(p, lowest)
		if err != nil {
			return err
		}
		then := strategies.Search(ctx, q, r.Space, strategies.Options{Top: rivals})
		if ctx.Err() != nil {
			return ctx.Err()
		}
		k, winner, err := f.crossing(p, &r.Base, append(append([]strategies.Estimate{}, now.Ranking...), then.Ranking...))
		if err != nil {
			return err
		}
		if winner != "" {
			r.Thresholds = append(r.Thresholds, Threshold{f.name, rate(p.Cluster.Tiers[at].Bandwidth.Times(k)), winner})
		}
	}
	return nil
}

func rate(b unit.BytesPerSecond) string { return fmt.Sprintf("%.3g GB/s per GPU", float64(b)/1e9) }

// crossing returns the largest share of a figure, between lowest and 1, at
// which a rival is faster by more than Resolution.
func (f *figure) crossing(p *strategies.Problem, base *strategies.Estimate, rivals []strategies.Estimate) (float64, string, error) {
	beaten := func(k float64) (string, error) {
		q, err := f.with(p, k)
		if err != nil {
			return "", err
		}
		mine := q.Estimate(base.Layout, base.Framework)
		best, name := mine.Step.Times(1-strategies.Resolution), ""
		for i := range rivals {
			e := q.Estimate(rivals[i].Layout, rivals[i].Framework)
			if e.Fits && e.Step < best {
				best, name = e.Step, e.Layout.String()
			}
		}
		return name, nil
	}
	if name, err := beaten(1); err != nil || name != "" {
		return 0, "", err // another is better as it is: no threshold of this choice
	}
	winner, err := beaten(lowest)
	if err != nil || winner == "" {
		return 0, "", err
	}
	low, high := lowest, 1.0
	for high-low > 0.005 {
		mid := (low + high) / 2
		name, err := beaten(mid)
		switch {
		case err != nil:
			return 0, "", err
		case name != "":
			low, winner = mid, name
		default:
			high = mid
		}
	}
	return low, winner, nil
}
