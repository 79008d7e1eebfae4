package sweep

import (
	"strconv"

	"planner/internal/ask"
)

// price chooses the price of a GPU hour: the one given, else the preset's.
func (r *Result) price(a *ask.Answer) {
	c := a.Problem.Cluster
	r.Price, r.PriceSource = r.Request.Price, "as given"
	if r.Price == 0 {
		r.Price, r.PriceSource = c.PricePerGPUHour, c.PriceSource
	}
}

// finish works out what compares the points: efficiency, cost, the front.
func (r *Result) finish() {
	best := map[string]float64{} // by model
	for i := range r.Points {
		if p := &r.Points[i]; p.Best != nil {
			best[p.model()] = max(best[p.model()], p.TokensPerSecond/float64(p.Answer.GPUs))
		}
	}
	for i := range r.Points {
		p := &r.Points[i]
		if p.Best == nil {
			continue
		}
		p.Efficiency = p.TokensPerSecond / float64(p.Answer.GPUs) / best[p.model()]
		if r.Tokens > 0 {
			p.Days = r.Tokens / p.TokensPerSecond / 86400
			p.Dollars = p.GPUHours() * r.Price
			p.Energy = p.GPUHours() * 3600 * float64(p.Answer.Problem.Cluster.GPU.Power)
		}
	}
	r.front()
}

// model names what a point trains: tokens of different models are not compared.
func (p *Point) model() string { return p.Answer.Problem.Model.Name }

// front marks the points that no other of the same model beats in both of two aims: tokens per
// second of the cluster, and tokens per second and GPU (the cost of a token)
// where GPUs are swept, memory where they are not.
func (r *Result) front() {
	sized := r.axis("gpus") >= 0
	cost := func(p *Point) float64 {
		if sized {
			return -p.Efficiency
		}
		return float64(p.Best.Memory.Total())
	}
	for i := range r.Points {
		p := &r.Points[i]
		p.Front = p.Best != nil
		for k := range r.Points {
			o := &r.Points[k]
			if !p.Front || o.Best == nil || k == i || o.model() != p.model() {
				continue
			}
			faster, cheaper := o.TokensPerSecond >= p.TokensPerSecond, cost(o) <= cost(p)
			strictly := o.TokensPerSecond > p.TokensPerSecond || cost(o) < cost(p)
			p.Front = !(faster && cheaper && strictly)
		}
	}
}

// KneeLoss is the efficiency in points that the doubling of the knee costs.
const KneeLoss = 0.05

// Knee returns the index of the first point whose efficiency is more than
// KneeLoss below that of the point with half its GPUs, and the loss; −1: none.
// It is for sweeps of GPUs alone.
func (r *Result) Knee() (int, float64) {
	if len(r.Axes) != 1 || r.Axes[0].Name != "gpus" {
		return -1, 0
	}
	for i := 1; i < len(r.Points); i++ {
		a, b := &r.Points[i-1], &r.Points[i]
		n, _ := strconv.Atoi(b.Values[0])
		m, _ := strconv.Atoi(a.Values[0])
		if a.Best != nil && b.Best != nil && n == 2*m && a.Efficiency-b.Efficiency > KneeLoss {
			return i, a.Efficiency - b.Efficiency
		}
	}
	return -1, 0
}
