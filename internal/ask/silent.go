package ask

import (
	"planner/costmodel"
	"planner/internal/catalog"
	"planner/strategies"
)

// silent adds to what was chosen for the user what only some models make
// matter: of experts the balance of their load and how tokens reach them, and
// the kernel of attention where that is a large part of the step.
func (a *Answer) silent() {
	add := func(flag, value string) { a.Defaults = append(a.Defaults, Default{flag, value}) }
	experts := a.Problem.Model.Experts() > 0
	if experts && a.Imbalance == 0 && a.Capacity == 0 {
		add("--imbalance", "1")
	}
	if experts && !a.Dispatched {
		var unnamed strategies.Layout
		add("--dispatcher", unnamed.Dispatcher.String())
	}
	if (experts || a.longAttention()) && a.Attention == "" && attends(a.Problem.Model) {
		if kernels, err := catalog.LoadKernels(a.Problem.Cluster.GPU.Arch, a.Problem.Cluster.GPU.Name); err == nil {
			add("--attention", kernels.Constants.Usual.String())
		}
	}
}

// attends reports whether a layer of the model has attention over a sequence.
func attends(m *costmodel.Model) bool {
	for i := range m.Kinds {
		if k := m.Kinds[i].Mixer.Kind; k == costmodel.Attention || k == costmodel.MLA {
			return true
		}
	}
	return false
}

// longAttention reports whether attention is a large part of the FLOPs asked for.
func (a *Answer) longAttention() bool {
	total, attention := a.Problem.FLOPsPerToken()
	return LongAttention(1, 1-float64(attention)/float64(total)/2)
}

// LongAttention reports whether attention is so large a part of the FLOPs that
// counting it whole or causal are two different figures.
func LongAttention(whole, causal float64) bool { return causal < 0.85*whole }
