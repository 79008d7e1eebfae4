package show

import (
	"io"
	"strings"

	"planner/costmodel"
	"planner/internal/ask"
	"planner/internal/catalog"
)

// AddSilent adds to what was chosen for the user what only some models make
// matter: of experts the balance of their load and how tokens reach them, and
// the kernel of attention where that is a large part of the step. dispatched
// says that the dispatcher was given.
func AddSilent(a *ask.Answer, dispatched bool) {
	add := func(flag, value string) { a.Defaults = append(a.Defaults, ask.Default{Flag: flag, Value: value}) }
	experts := a.Problem.Model.Experts() > 0
	if experts && a.Imbalance == 0 && a.Capacity == 0 {
		add("--imbalance", "1")
	}
	if experts && !dispatched {
		add("--dispatcher", "alltoall")
	}
	if (experts || longAnswer(a)) && a.Attention == "" && attends(a.Problem.Model) {
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

// longAnswer reports whether attention is a large part of the FLOPs asked for.
func longAnswer(a *ask.Answer) bool {
	total, attention := a.Problem.FLOPsPerToken()
	return longShare(1, 1-float64(attention)/float64(total)/2)
}

// Chosen writes what was chosen for the user, and with which flag to change it.
func Chosen(w io.Writer, a *ask.Answer) {
	var chosen []string
	for _, d := range a.Defaults {
		sep := " "
		if strings.HasPrefix(d.Flag, "--model") {
			sep = " = "
		}
		chosen = append(chosen, d.Flag+sep+d.Value)
	}
	if chosen != nil {
		Note(w, "chosen for you", "%s", strings.Join(chosen, " · "))
	}
}
