// Package ask turns what a user asks, in the words of the command line, into
// the problem that strategies solve. Every command asks through it, so that
// defaults and refusals are the same everywhere.
package ask

import (
	"fmt"
	"slices"
	"strings"

	"planner/costmodel"
	"planner/costmodel/kernel"
	"planner/hardware"
	"planner/internal/catalog"
	"planner/strategies"
)

// Question is the common flags of the commands. Zero values stand for "not
// given".
type Question struct {
	Model, Hardware      string
	GPUs                 int
	SeqLen, GlobalBatch  int
	Precision, Framework string
	Pass                 string  // "train" or "forward"
	Trainable            float64 // share of parameters that are trained; 0: all
	Attention            string  // kernel, "" or "usual": the accelerator's usual one
	Imbalance            float64 // tokens of the busiest expert rank over the mean
	Capacity             float64 // capacity factor of the experts; 0: dropless
	AllowLong            bool
	Dispatched           bool // a constraint or the layout names the dispatcher of experts
	Options              catalog.ClusterOptions
	Limits               Constraints // of the search for a layout
	Files                Files       // copies of what Model and Hardware name, where a plan has them
}

// Defaults of the flags that have a fixed one.
const (
	DefaultHardware  = "h100-sxm-80gb"
	DefaultPrecision = "bf16"
	DefaultFramework = "any"
)

// Answer is a problem with what was chosen for the user.
type Answer struct {
	Question // complete: every default filled in
	Problem  *strategies.Problem
	// Defaults names the flags that the user did not give, with the values
	// chosen, in the order of the command line.
	Defaults []Default
	// Copies says which file was used, where a plan keeps a copy of it.
	Copies   []string
	searched strategies.Space // the constraints of the last search
}

// Default is one value chosen for the user.
type Default struct{ Flag, Value string }

// chose reports whether the value of a flag was chosen for the user.
func (a *Answer) chose(flag string) bool {
	return slices.ContainsFunc(a.Defaults, func(d Default) bool { return d.Flag == flag })
}

// maxTokens bounds a sequence and a batch, so that products stay exact.
const maxTokens = 1 << 30

// Ask resolves a question. Errors are *catalog.Error: one line a fault.
func Ask(q Question) (*Answer, error) {
	a := &Answer{Question: q}
	if err := q.Check(); err != nil {
		return nil, err
	}
	model, err := a.model()
	if err != nil {
		return nil, err
	}
	a.fill("--hardware", &a.Hardware, DefaultHardware)
	cluster, err := a.cluster()
	if err != nil {
		return nil, err
	}
	if err := a.workload(model); err != nil {
		return nil, err
	}
	if err := a.finish(model, cluster); err != nil {
		return nil, err
	}
	if a.legalBatch() {
		a.Problem.Work.GlobalBatch = a.GlobalBatch
	}
	a.silent()
	return a, nil
}

func (a *Answer) cluster() (*hardware.Cluster, error) {
	text, err := a.text(&a.Files.Hardware, a.Hardware, catalog.HardwareFile)
	switch {
	case err != nil:
		return nil, err
	case text == nil:
		return catalog.ClusterWith(a.Hardware, a.GPUs, a.Options)
	}
	return catalog.ClusterOf(a.Hardware, text, a.GPUs, a.Options)
}

func (a *Answer) fill(flag string, value *string, def string) {
	if *value == "" {
		*value = def
		a.Defaults = append(a.Defaults, Default{flag, def})
	}
}

func (a *Answer) workload(m *costmodel.Model) error {
	switch {
	case a.SeqLen == 0:
		a.SeqLen = strategies.DefaultSeq(m)
		a.Defaults = append(a.Defaults, Default{"--seq-len", fmt.Sprint(a.SeqLen)})
	case m.MaxSeq > 0 && a.SeqLen > m.MaxSeq && !a.AllowLong:
		return catalog.Errorf("--seq-len %d: %s was trained to %d: use that, or --allow-long", a.SeqLen, m.Name, m.MaxSeq)
	}
	if a.GlobalBatch == 0 {
		a.GlobalBatch = defaultBatch(a.SeqLen, a.GPUs)
		a.Defaults = append(a.Defaults, Default{"--global-batch", fmt.Sprint(a.GlobalBatch)})
	}
	a.fill("--precision", &a.Precision, DefaultPrecision)
	a.fill("--framework", &a.Framework, DefaultFramework)
	return nil
}

func (a *Answer) finish(m *costmodel.Model, c *hardware.Cluster) error {
	w := strategies.Workload{Seq: a.SeqLen, GlobalBatch: a.GlobalBatch, Trainable: a.Trainable, Imbalance: a.load(), Capacity: a.Capacity, Forward: a.Pass == "forward"}
	w.Precision, _ = hardware.ParsePrecision(a.Precision) // checked
	w.Attention, _ = attention(a.Attention)
	profiles, err := catalog.Profiles(a.Framework)
	if err != nil {
		return err
	}
	a.Problem, err = catalog.Problem(m, c, w, profiles)
	return err
}

// load returns the tokens of the busiest expert rank over an even share:
// experts of a fixed capacity are padded to it, whatever the routing.
func (a *Answer) load() float64 {
	if a.Capacity > 0 {
		return a.Capacity
	}
	return a.Imbalance
}

func attention(name string) (kernel.AttentionKernel, bool) {
	if name == "" {
		return kernel.Usual, true
	}
	return kernel.ParseAttentionKernel(name)
}

// notOne is the error for a value that is none of a short list.
func notOne(flag, given string, allowed []string) error {
	if n := catalog.Nearest(given, allowed); n != "" {
		return catalog.Errorf("%s %q: no such value: did you mean %q?", flag, given, n)
	}
	last := len(allowed) - 1
	return catalog.Errorf("%s %q: no such value: want %s or %s", flag, given, strings.Join(allowed[:last], ", "), allowed[last])
}

// FrameworkNames returns the names of the profiles asked, in order.
func (a *Answer) FrameworkNames() []string {
	var n []string
	for _, p := range a.Problem.Profiles {
		n = append(n, p.Name)
	}
	return slices.Clip(n)
}
