package ask

import (
	"context"
	"slices"

	"planner/costmodel/collective"
	"planner/hardware/unit"
	"planner/internal/catalog"
	"planner/strategies"
)

// Nearest is the layout that comes closest to fitting, how much it lacks, and
// what would close the gap, largest effect first.
type Nearest struct {
	Estimate strategies.Estimate
	Missing  unit.Bytes
	Knobs    []Knob
}

// Knob is one change, estimated again.
type Knob struct {
	Change string // the flag that makes it
	Memory unit.Bytes
	Usable unit.Bytes
	Fits   bool
	Step   unit.Seconds
	Cost   string // what it costs, in words
}

// NearestOf explains a search in which nothing fits; nil when something does,
// or nothing is legal.
func NearestOf(a *Answer, r *strategies.Result) *Nearest {
	if len(r.Ranking) > 0 || r.Least == nil {
		return nil
	}
	n := &Nearest{Estimate: *r.Least, Missing: r.Least.Memory.Total() - a.Problem.Capacity()}
	for _, k := range []func(*Answer, *strategies.Estimate) *Knob{moreGPUs, offloaded, leanGradients, smallerSequence, otherHardware} {
		if knob := k(a, r.Least); knob != nil {
			n.Knobs = append(n.Knobs, *knob)
		}
	}
	slices.SortStableFunc(n.Knobs, func(x, y Knob) int {
		if x.Fits != y.Fits {
			return map[bool]int{true: -1, false: 1}[x.Fits]
		}
		return int(x.Memory/unit.GiB) - int(y.Memory/unit.GiB)
	})
	return n
}

// searchFor returns the fastest fitting estimate of another question, else
// the leanest.
func searchFor(q Question, s strategies.Space) (*Answer, *strategies.Estimate) {
	a, err := Ask(q)
	if err != nil {
		return nil, nil
	}
	r := strategies.Search(context.Background(), a.Problem, s, strategies.Options{Top: 1})
	if len(r.Ranking) > 0 {
		return a, &r.Ranking[0]
	}
	return a, r.Least
}

// moreGPUs doubles the cluster until something fits.
func moreGPUs(a *Answer, _ *strategies.Estimate) *Knob {
	q := a.Question
	for n := a.GPUs * 2; n <= min(a.GPUs*64, catalog.MaxGPUs); n *= 2 {
		q.GPUs = n
		if q.GlobalBatch%n != 0 && n > q.GlobalBatch {
			q.GlobalBatch = 0
		}
		b, e := searchFor(q, strategies.Space{})
		if e != nil && e.Fits {
			change := "--gpus " + itoa(n)
			if b.GlobalBatch != a.GlobalBatch {
				change += " --global-batch " + itoa(b.GlobalBatch)
			}
			return knob(b, e, change, itoa(n/a.GPUs)+" × the GPUs")
		}
	}
	return nil
}

func offloaded(a *Answer, _ *strategies.Estimate) *Knob {
	b, e := searchFor(a.Question, strategies.Space{Offload: []strategies.Offload{strategies.OffloadOptimizer, strategies.OffloadAll}})
	if e == nil || e.Layout.Offload == strategies.OffloadNone {
		return nil
	}
	return knob(b, e, "--offload "+e.Layout.Offload.String(), "optimizer state in host memory, updated by the CPU each step")
}

// leanGradients reduces gradients in 16 bits under Megatron.
func leanGradients(a *Answer, least *strategies.Estimate) *Knob {
	if least.Framework.GradDType(collective.BF16) != collective.FP32 || least.Framework.Name != "megatron" {
		return nil
	}
	lean := *least.Framework
	lean.Memory.Grad, lean.Comm.GradType = 2, "model"
	e := a.Problem.Estimate(least.Layout, &lean)
	return knob(a, &e, "bf16 gradients (megatron: --grad-reduce-in-bf16)", "less exact sums of gradients")
}

func smallerSequence(a *Answer, _ *strategies.Estimate) *Knob {
	q := a.Question
	if q.SeqLen < 4096 {
		return nil
	}
	q.SeqLen, q.GlobalBatch = q.SeqLen/4, q.GlobalBatch*4
	b, e := searchFor(q, strategies.Space{})
	if e == nil {
		return nil
	}
	return knob(b, e, "--seq-len "+itoa(q.SeqLen), "a quarter of the context")
}

// otherHardware tries an accelerator of more memory.
func otherHardware(a *Answer, _ *strategies.Estimate) *Knob {
	q := a.Question
	for _, name := range []string{"h200-sxm", "b200-sxm", "b300-sxm"} {
		acc, err := catalog.Accelerator(name)
		if err != nil || acc.Usable <= a.Problem.Capacity() {
			continue
		}
		q.Hardware = name
		if b, e := searchFor(q, strategies.Space{}); e != nil && (e.Fits || name == "b300-sxm") {
			return knob(b, e, "--hardware "+name, itoa(a.GPUs)+" × "+acc.Title)
		}
	}
	return nil
}

func knob(a *Answer, e *strategies.Estimate, change, cost string) *Knob {
	return &Knob{Change: change, Memory: e.Memory.Total(), Usable: a.Problem.Capacity(), Fits: e.Fits, Step: e.Step, Cost: cost}
}
