package ask

import (
	"slices"
	"strconv"

	"planner/costmodel/collective"
	"planner/internal/catalog"
	"planner/strategies"
)

// remedy makes one change to a question in which nothing fits; nil where the
// change means nothing, or leaves no legal layout. least is the leanest layout.
type remedy func(a *Answer, least *strategies.Estimate) *Knob

// moreGPUs doubles the cluster until something fits.
func moreGPUs(a *Answer, _ *strategies.Estimate) *Knob {
	q := a.Question
	for n := a.GPUs * 2; n <= min(a.GPUs*64, catalog.MaxGPUs); n *= 2 {
		q.GPUs = n
		for _, q.GlobalBatch = range batches(a, n) {
			if b, e := asked(q, a.searched); e != nil && e.Fits {
				return knob(b, &a.searched, e, "--gpus "+strconv.Itoa(n)+batchIfOther(a, b), strconv.Itoa(n/a.GPUs)+" × the GPUs")
			}
		}
	}
	return nil
}

// batches returns the global batches to try on n GPUs: a default is chosen
// anew (0); one that was given stays, or grows to a sequence a GPU.
func batches(a *Answer, n int) []int {
	switch {
	case a.chose("--global-batch"):
		return []int{0}
	case n > a.GlobalBatch:
		return []int{a.GlobalBatch, n}
	}
	return []int{a.GlobalBatch}
}

// batchIfOther names the global batch where it changes with something else.
func batchIfOther(a, b *Answer) string {
	if a.GlobalBatch == b.GlobalBatch {
		return ""
	}
	return " --global-batch " + strconv.Itoa(b.GlobalBatch)
}

// offloaded keeps state in host memory, by the ways that were not searched.
func offloaded(a *Answer, _ *strategies.Estimate) *Knob {
	s := a.searched
	s.Offload = slices.DeleteFunc(offloads(a), func(o strategies.Offload) bool { return slices.Contains(a.searched.Offload, o) })
	if len(s.Offload) == 0 {
		return nil
	}
	e := best(a, s)
	if e == nil || e.Layout.Offload == strategies.OffloadNone {
		return nil
	}
	cost := offloadCost(a, e.Layout.Offload)
	if a.searched.Offload != nil {
		cost += "; lifts your --offload"
	}
	return knob(a, &s, e, "--offload "+e.Layout.Offload.String(), cost)
}

// offloads are the ways that move something: a forward pass has no optimizer.
func offloads(a *Answer) []strategies.Offload {
	if a.Problem.Work.Forward {
		return []strategies.Offload{strategies.OffloadAll}
	}
	return []strategies.Offload{strategies.OffloadOptimizer, strategies.OffloadAll}
}

func offloadCost(a *Answer, o strategies.Offload) string {
	switch {
	case a.Problem.Work.Forward:
		return "parameters in host memory, copied to the GPU layer by layer"
	case o == strategies.OffloadAll:
		return "optimizer state and parameters in host memory, updated by the CPU each step"
	}
	return "optimizer state in host memory, updated by the CPU each step"
}

// leanGradients reduces gradients in 16 bits under Megatron; a forward pass has
// none.
func leanGradients(a *Answer, least *strategies.Estimate) *Knob {
	if a.Problem.Work.Forward || least.Framework.GradDType(&least.Layout, collective.BF16) != collective.FP32 || least.Framework.Name != "megatron" {
		return nil
	}
	lean := *least.Framework
	lean.Memory.Grad, lean.Comm.GradType = 2, "model"
	e := a.Problem.Estimate(least.Layout, &lean)
	return knob(a, &a.searched, &e, "bf16 gradients (megatron: --grad-reduce-in-bf16)", "less exact sums of gradients")
}

// shortest is the sequence below which none is proposed.
const shortest = 1024

// shorterSequence halves the context, then halves it again, at the same tokens
// a step.
func shorterSequence(a *Answer, _ *strategies.Estimate) (k *Knob) {
	for i, words := range []string{"half of the context", "a quarter of the context"} {
		q := a.Question
		q.SeqLen, q.GlobalBatch = q.SeqLen>>(i+1), q.GlobalBatch<<(i+1)
		if q.SeqLen < shortest {
			break
		}
		b, e := asked(q, a.searched)
		if e == nil {
			continue
		}
		k = knob(b, &a.searched, e, "--seq-len "+strconv.Itoa(q.SeqLen)+" --global-batch "+strconv.Itoa(q.GlobalBatch), words+", as many tokens a step")
		if k.Fits {
			break
		}
	}
	return k
}

// otherHardware tries accelerators of more memory.
func otherHardware(a *Answer, _ *strategies.Estimate) *Knob {
	q, usable := a.Question, a.Usable()
	for _, name := range []string{"h200-sxm", "b200-sxm", "b300-sxm"} {
		acc, err := catalog.Accelerator(name)
		if err != nil || acc.Usable <= a.Problem.Capacity() || usable < a.Problem.Capacity() {
			continue
		}
		q.Hardware = name
		if b, e := asked(q, a.searched); e != nil && (e.Fits || name == "b300-sxm") {
			return knob(b, &a.searched, e, "--hardware "+name, strconv.Itoa(a.GPUs)+" × "+acc.Title)
		}
	}
	return nil
}
