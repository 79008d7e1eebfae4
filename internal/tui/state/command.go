package state

import (
	"fmt"
	"slices"
	"strings"

	"planner/internal/ask"
	"planner/internal/tui/knob"
)

// Command returns the command line that prints what the view shows.
func (s *State) Command() string {
	pt := s.Subject()
	a := s.Answer
	switch s.View {
	case Detail, WhatIf:
		if pt != nil && pt.Answer != nil {
			return explain(pt)
		}
	case Sensitivity:
		if s.has("sensitivity") {
			return "planner sensitivity" + layoutFlags(&s.Now)
		}
		return explain(&s.Now)
	case Compare:
		c := "planner compare" + Flags(a)
		for _, r := range s.Compared() {
			c += " " + r.Estimate.Layout.String()
		}
		return c
	case Scaling:
		if s.has("sweep") {
			least := max(1, a.GPUs/8)
			return strings.Replace("planner sweep"+Flags(a), fmt.Sprintf("--gpus %d", a.GPUs), fmt.Sprintf("--gpus %d..%d", least, a.GPUs*8), 1)
		}
	}
	c := "planner suggest" + Flags(a)
	for _, f := range append(slices.Clone(s.Limits), s.Filter.Flags()...) {
		c += " " + f
	}
	return c
}

func explain(pt *knob.Point) string {
	return "planner explain" + layoutFlags(pt)
}

// layoutFlags asks for a layout under its framework, which is named where
// another would be taken.
func layoutFlags(pt *knob.Point) string {
	flags := Flags(pt.Answer)
	if pt.Stated() {
		flags += " --framework " + pt.Under
	}
	return flags + " --layout " + pt.Layout.String()
}

// has reports whether planner has a command.
func (s *State) has(name string) bool { return slices.Contains(s.Commands, name) }

// Flags returns the flags that ask a question again: those that were not
// chosen by default.
func Flags(a *ask.Answer) string {
	chosen := map[string]string{}
	for _, d := range a.Defaults {
		chosen[d.Flag] = d.Value
	}
	var b strings.Builder
	fmt.Fprintf(&b, " --model %s --gpus %d", a.Model, a.GPUs)
	put := func(flag, value, usual string) {
		if value != "" && value != usual && chosen[flag] != value {
			b.WriteString(" " + flag + " " + value)
		}
	}
	put("--hardware", a.Hardware, ask.DefaultHardware)
	put("--seq-len", fmt.Sprint(a.SeqLen), "")
	put("--global-batch", fmt.Sprint(a.GlobalBatch), "")
	put("--precision", a.Precision, ask.DefaultPrecision)
	put("--framework", a.Framework, ask.DefaultFramework)
	put("--pass", a.Pass, "train")
	put("--attention", a.Attention, "")
	if a.Trainable > 0 {
		put("--trainable", fmt.Sprint(a.Trainable), "")
	}
	if a.Imbalance > 0 {
		put("--imbalance", fmt.Sprint(a.Imbalance), "")
	}
	if a.Capacity > 0 {
		put("--capacity-factor", fmt.Sprint(a.Capacity), "")
	}
	if a.Options.GPUsPerNode > 0 {
		put("--gpus-per-node", fmt.Sprint(a.Options.GPUsPerNode), "")
	}
	if a.Options.InterNode > 0 {
		put("--inter-node", fmt.Sprintf("%.4gGb/s", a.Options.InterNode.Gbps()), "")
	}
	if a.AllowLong {
		b.WriteString(" --allow-long")
	}
	return b.String()
}

// out handles the keys that take a layout out of the session.
func (s State) out(k string) (State, []Effect) {
	pt := s.Subject()
	if pt == nil || !pt.Legal() {
		s.Message = nothingYet
		return s, nil
	}
	rest := Flags(pt.Answer) + " --layout " + pt.Layout.String()
	switch k {
	case "o":
		return s.ask(SavePrompt, ""), nil
	case "x":
		return s.prefilled("export", rest+" --to "+pt.Framework.Name)
	case "r":
		return s.prefilled("report", rest+" -o ")
	}
	return s.prefilled("verify", " --help")
}

// prefilled offers a command for the user to finish.
func (s State) prefilled(name, rest string) (State, []Effect) {
	if !s.has(name) {
		s.Message = "this planner has no command " + name
		return s, nil
	}
	s.Message = ""
	return s.ask(CommandPrompt, name+rest), nil
}

func lines(text string) []string { return strings.Split(strings.TrimRight(text, "\n"), "\n") }
