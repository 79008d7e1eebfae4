package show

import (
	"fmt"

	"planner/internal/ask"
	"planner/strategies"
)

// remarks say of a layout what its figures count that a reader may count
// otherwise: rows that pad the vocabulary, and what the framework's own
// estimator says of the same state.
func remarks(a *ask.Answer, x *strategies.Explanation) []string {
	var out []string
	m, l, f := a.Problem.Model, &x.Layout, x.Framework
	if padded := strategies.PadVocab(m.Vocab, f.Memory.VocabMultiple, l.TP); padded != m.Vocab {
		of := "tp"
		if n := f.Memory.VocabMultiple; n > 1 {
			of = fmt.Sprintf("%d·tp", n)
		}
		out = append(out, fmt.Sprintf("vocabulary of %s padded to %s, a multiple of %s = %d", Count(m.Vocab), Count(padded), of, f.Memory.VocabMultiple*l.TP))
	}
	if host := a.Problem.HostState(*l, f); host > 0 {
		n := min(a.Problem.Cluster.PerNode, a.Problem.Cluster.GPUs)
		out = append(out, fmt.Sprintf("the host keeps %.1f GiB of state for each GPU, %.0f GiB a node of %d", host.GiB(), host.GiB()*float64(n), n))
	}
	if n := f.GathersPerLayer(m, l.TP); l.Zero == 3 && n != 1 {
		out = append(out, fmt.Sprintf("a pass gathers a layer in %.3g calls, matrix by matrix to %s elements (stage3_prefetch_bucket_size); their M above is the mean", n, Count(f.Comm.Prefetch)))
	}
	if f.Name == "deepspeed" && l.Zero >= 2 && l.TP*l.PP*l.CP == 1 && trainsAll(&a.Problem.Work) {
		out = append(out, estimator(a.Problem, l))
	}
	return out
}

// trainsAll reports whether every parameter has the gradient and the optimizer
// state that DeepSpeed's estimator counts.
func trainsAll(w *strategies.Workload) bool {
	return !w.Forward && (w.Trainable == 0 || w.Trainable == 1)
}

// estimator says what DeepSpeed's estimator of model states prints.
func estimator(p *strategies.Problem, l *strategies.Layout) string {
	params, largest := float64(p.Model.Parameters()), float64(strategies.LargestModule(p.Model))
	formula := map[strategies.Offload]string{strategies.OffloadNone: "18·P/N + 4·L", strategies.OffloadOptimizer: "2·P/N + 4·L", strategies.OffloadAll: "4·L"}[l.Offload]
	if l.Zero == 2 {
		formula = map[bool]string{true: "4·P + 16·P/N", false: "2·P"}[l.Offload == strategies.OffloadNone]
	}
	return fmt.Sprintf("DeepSpeed's own estimator of model states prints %.2f GiB = %s bytes (P = %.4g B, N = %d, largest layer L = %.3g M): "+
		"a lower bound, to which activations, logits and buffers add", strategies.DeepSpeedEstimate(params, largest, l.Zero, l.DP, l.Offload).GiB(),
		formula, params/1e9, l.DP, largest/1e6)
}
