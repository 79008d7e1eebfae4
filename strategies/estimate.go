package strategies

import (
	"planner/costmodel/collective"
	"planner/hardware/unit"
)

// Estimate is what is predicted of one layout. Times are those of the slowest
// pipeline stage, and Step is their sum:
// Compute + Bubble + ΣExposed + Optimizer + Overhead.
type Estimate struct {
	Layout    Layout
	Framework *Profile

	Step      unit.Seconds
	Compute   unit.Seconds // kernels, recomputation included
	Streamed  unit.Seconds // of these, what memory bandwidth limits
	Bubble    unit.Seconds // idle from schedule and imbalance
	Exposed   [collective.NumAxes]unit.Seconds
	Optimizer unit.Seconds
	Overhead  unit.Seconds // launches, data, logging, stragglers
	Retries   unit.Seconds // of these: what the fullest stage loses to the allocator close to capacity

	Low, High unit.Seconds // 80 % band of Step

	Memory     Memory     // of the fullest stage
	Allocated  unit.Bytes // the most that the tensors of any stage take
	Fullest    int        // its first pipeline rank
	Slowest    int        // first pipeline rank of the slowest stage
	Fits       bool
	Recomputed float64 // share of the forward pass computed twice
}

// ExposedTotal returns the communication that nothing hides.
func (e *Estimate) ExposedTotal() unit.Seconds {
	var t unit.Seconds
	for _, x := range e.Exposed {
		t += x
	}
	return t
}

// Rates are the figures of merit of an estimate.
type Rates struct {
	TokensPerSecondPerGPU float64
	MFU, MFUCausal, HFU   float64 // fractions of the dense peak of the step's precision
}

// Rates returns the throughput and utilisation of e. MFU is FLOPs of the model
// over step, peak and GPUs (Chowdhery et al. 2022, appendix B); MFUCausal
// halves the attention part; HFU adds what is computed twice.
func (p *Problem) Rates(e *Estimate) Rates {
	total, attention := p.FLOPsPerToken()
	tokens := p.Work.Tokens()
	capacity := float64(e.Step) * float64(p.Cluster.GPU.PeakOf(p.Work.Precision)) * float64(p.Cluster.GPUs)
	share := func(f unit.FLOPs) float64 { return float64(f) * tokens / capacity }
	return Rates{tokens / float64(e.Step) / float64(p.Cluster.GPUs), share(total), share(total - attention/2), share(total + p.twice(e))}
}

// twice returns the operations on a token that recomputation repeats.
func (p *Problem) twice(e *Estimate) unit.FLOPs {
	all, attention := p.Model.FLOPsPerToken(p.Work.Seq)
	switch {
	case e.Layout.Recompute == RecomputeSelective && e.Framework != nil && e.Framework.Memory.SelectiveOps:
		return p.Model.OpsFLOPsPerToken() / 3
	case e.Layout.Recompute == RecomputeSelective:
		return attention / 3
	}
	all -= p.Model.HeadFLOPsPerToken()
	if e.Framework != nil && e.Framework.Memory.EarlyStop {
		all -= p.Model.EndFLOPsPerToken()
	}
	return all.Times(e.Recomputed / 3)
}

// FLOPsPerToken returns the operations of the step on one token, and the part of
// them that is attention: a third of training's in a forward pass, and without
// the weight gradients, a third of the products, of what is frozen. Experts of a
// capacity below 1 drop the rest of the tokens, which nobody computes.
func (p *Problem) FLOPsPerToken() (total, attention unit.FLOPs) {
	total, attention = p.Model.FLOPsPerToken(p.Work.Seq)
	if c := p.Work.Imbalance; c > 0 && c < 1 {
		total -= p.Model.RoutedFLOPsPerToken().Times(1 - c)
	}
	if p.Work.Forward {
		return total / 3, attention / 3
	}
	frozen := 1 - p.Work.Trained()
	return total - (total - attention).Times(frozen/3), attention
}

// Bound names the largest cost of a step that a layout or a machine can change:
// kernels, by what limits most of their time, an axis of communication, or the
// bubble. The optimizer's kernels stream its state.
func (e *Estimate) Bound() string {
	best, name := e.Compute.Times(0.5), "compute" // kernels that compute must dominate by half
	if e.Streamed > best {
		name = "memory-bandwidth"
	}
	if e.Optimizer > best {
		best, name = e.Optimizer, "memory-bandwidth"
	}
	for a, x := range e.Exposed {
		if x > best && a != int(collective.AxisOther) {
			best, name = x, collective.Axis(a).String()
		}
	}
	if e.Bubble > best {
		return "bubble"
	}
	return name
}
