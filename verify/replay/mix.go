package replay

import (
	"math"

	"planner/costmodel"
	"planner/costmodel/timeline"
	"planner/strategies"
)

// Mix is what the delays of a pipeline rank stand for: the kernels of one
// micro-batch, forward and backward, which ranks that can compute run over and
// over while delays last, each as long as Seconds says.
type Mix struct {
	Parts []Part `json:"parts,omitempty"`
	// Once is how long the last delay of the step is of memory traffic alone, as
	// an optimizer's.
	Once float64 `json:"once,omitempty"`
	// Host is how long the framework takes beside it, while nothing computes.
	Host float64 `json:"host,omitempty"`
}

// Part is kernels that run Times over, such as those of a layer.
type Part struct {
	Times   int      `json:"times"`
	Kernels []Kernel `json:"kernels"`
}

// Kernel is Groups matrix products [M,K]·[K,N] or, where M is 0, Bytes of
// memory traffic, Times over.
type Kernel struct {
	Groups  int               `json:"groups,omitempty"`
	M       int               `json:"m,omitempty"`
	N       int               `json:"n,omitempty"`
	K       int               `json:"k,omitempty"`
	Product costmodel.Product `json:"product,omitempty"`
	Bytes   int64             `json:"bytes,omitempty"`
	Core    bool              `json:"core,omitempty"` // stands for the attention core, with its operations
	Seconds float64           `json:"seconds"`        // of the plan, for one, with its share of what is no kernel
}

// mixesOf returns the mixes of a plan. What the plan's passes take beyond their
// kernels, such as host time, is shared out among the kernels.
func mixesOf(p *strategies.Problem, plan *Plan, prof *strategies.Profile, micro int, once []float64) []Mix {
	all := p.Kernels(plan.Layout, prof)
	out := make([]Mix, len(all))
	for s, parts := range all {
		sum := 0.0
		for _, part := range parts {
			for i := range part.Kernels {
				sum += float64(part.Times) * float64(part.Kernels[i].Seconds)
			}
		}
		scale := 1.0
		if pass := (float64(plan.Compute[s]) - once[s]) / float64(micro); sum > 0 && pass > 0 {
			scale = pass / sum
		}
		out[s].Once = once[s]
		for _, part := range parts {
			out[s].Parts = append(out[s].Parts, Part{part.Times, kernelsOf(part.Kernels, scale)})
		}
	}
	return out
}

// hostTime takes the host's part out of what the last delays stand for.
func (p *Plan) hostTime(t *timeline.Timeline) {
	for i := range t.Tasks {
		x := &t.Tasks[i]
		if x.Kind == timeline.Once && x.Stream == timeline.Compute && x.What == "host" {
			m := &p.Mixes[x.Rank]
			m.Host += float64(x.Dur)
			m.Once = math.Max(0, m.Once-float64(x.Dur))
		}
	}
}

func kernelsOf(list []costmodel.Kernel, scale float64) []Kernel {
	out := make([]Kernel, len(list))
	whole := func(x float64) int { return int(math.Round(x)) }
	for i := range list {
		k := &list[i]
		out[i] = Kernel{Groups: k.Groups, M: whole(k.M), N: whole(k.N), K: whole(k.K), Product: k.Product, Bytes: int64(k.Bytes), Core: k.Core,
			Seconds: scale * float64(k.Seconds)}
	}
	return out
}
