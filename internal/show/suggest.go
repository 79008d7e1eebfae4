package show

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"planner/internal/ask"
	"planner/strategies"
)

// Suggestion is the document of `suggest`.
type Suggestion struct {
	Head
	Search  Search   `json:"search"`
	Layouts []Layout `json:"layouts"`
	Nearest *Nearby  `json:"nearest,omitempty"`
	Notes   []string `json:"notes"`
}

// Search says what was tried.
type Search struct {
	Legal       int                     `json:"legal"`
	Fitting     int                     `json:"fitting"`
	Rejected    map[strategies.Rule]int `json:"rejected"`
	Seconds     float64                 `json:"seconds"`
	Interrupted bool                    `json:"interrupted,omitempty"`
}

// Nearby is the layout nearest to fitting.
type Nearby struct {
	Layout       string    `json:"layout"`
	MissingBytes float64   `json:"missing_bytes"`
	Knobs        []KnobDoc `json:"knobs"`
}

// KnobDoc is one change that would help.
type KnobDoc struct {
	Change      string  `json:"change"`
	MemoryBytes float64 `json:"memory_bytes"`
	Fits        bool    `json:"fits"`
	StepSeconds float64 `json:"step_seconds"`
	Cost        string  `json:"cost"`
}

// NewSuggestion describes the result of a search.
func NewSuggestion(a *ask.Answer, r *strategies.Result, n *ask.Nearest) Suggestion {
	s := Suggestion{Head: NewHead(a), Search: Search{r.Legal, r.Fitting, r.Rejected, r.Elapsed.Seconds(), r.Interrupted},
		Layouts: []Layout{}, Notes: notes(a)}
	if m := a.Usable(); m < a.Problem.Capacity() {
		s.Cluster.MaxMemory = float64(m)
	}
	if len(r.Ranking) > 0 {
		if _, note := a.BandNote(&r.Ranking[0]); note != "" {
			s.Notes = append(s.Notes, "band: "+note)
		}
	}
	ties := strategies.TieGroups(r.Ranking)
	for i := range r.Ranking {
		s.Layouts = append(s.Layouts, NewLayout(a.Problem, &r.Ranking[i], i+1, ties[i]))
	}
	s.Notes = append(s.Notes, rankingWarnings(r)...)
	if note := marginalNote(a.Problem, r.Ranking); note != "" {
		s.Notes = append(s.Notes, "marginal: "+note)
	}
	if n != nil {
		s.Nearest = &Nearby{Layout: n.Estimate.Layout.String(), MissingBytes: float64(n.Missing), Knobs: []KnobDoc{}}
		for _, k := range slices.Concat(n.Knobs, n.Short) {
			s.Nearest.Knobs = append(s.Nearest.Knobs, KnobDoc{k.Change, float64(k.Memory), k.Fits, float64(k.Step), k.Cost})
		}
	}
	return s
}

// notes are the warnings that an answer carries, and what was chosen.
func notes(a *ask.Answer) []string {
	out := []string{}
	for _, d := range a.Defaults {
		out = append(out, "chosen: "+d.Flag+" "+d.Value)
	}
	return append(out, Warnings(a)...)
}

// Warnings says what changes how the figures are read.
func Warnings(a *ask.Answer) []string {
	p := a.Problem
	out := slices.Concat(a.Copies, p.Model.Notes)
	if as := p.Cluster.GPU.RunsAs(p.Work.Precision); as != p.Work.Precision {
		out = append(out, fmt.Sprintf("%s has no %s units: the step is computed in %s", title(p.Cluster.GPU.Title, p.Cluster.GPU.Name), p.Work.Precision, as))
	}
	if p.Cluster.GPUs > p.Cluster.PerNode && p.Cluster.GPUs%p.Cluster.PerNode != 0 {
		out = append(out, fmt.Sprintf("%d GPUs leave the last node of %d partly empty", p.Cluster.GPUs, p.Cluster.PerNode))
	}
	if c := a.Capacity; c > 0 && c < 1 && p.Model.Experts() > 0 {
		out = append(out, fmt.Sprintf("a capacity factor of %g drops %.3g %% of what is routed to experts, at the least: MFU counts what is computed", c, 100*(1-c)))
	}
	return out
}

// brokenHPZ is a reported fault of DeepSpeed.
const brokenHPZ = "hpZ together with offload is reported broken (constant loss, zero gradient norm): check the loss"

// rankingWarnings says what is known against a layout of the ranking.
func rankingWarnings(r *strategies.Result) []string {
	for i := range r.Ranking {
		if l := &r.Ranking[i].Layout; l.HPZ > 0 && l.Offload != strategies.OffloadNone {
			return []string{brokenHPZ}
		}
	}
	return nil
}

// Only writes the constraints in force.
func Only(w io.Writer, limits []string) {
	if len(limits) > 0 {
		Note(w, "only", "%s", strings.Join(limits, " · "))
	}
}

// SuggestNotes writes what was chosen, searched and noticed, and what to do
// next. Of the layouts found, ties cannot be told apart from the first.
func SuggestNotes(w io.Writer, a *ask.Answer, r *strategies.Result, ties int) {
	fmt.Fprintln(w)
	Chosen(w, a)
	Note(w, "searched", "%s legal layouts, %s fit, in %.2f s; best %d shown", Count(r.Legal), Count(r.Fitting), r.Elapsed.Seconds(), len(r.Ranking))
	if len(r.Ranking) == 0 {
		return
	}
	if ties > 1 {
		Note(w, "tie", "%s", tieText(ties, tied(r.Ranking)))
	}
	bandNote(w, a, &r.Ranking[0])
	if note := marginalNote(a.Problem, r.Ranking); note != "" {
		Note(w, "marginal", "%s", note)
	}
	for _, x := range append(Warnings(a), rankingWarnings(r)...) {
		Note(w, "note", "%s", x)
	}
	Note(w, "next", "planner explain --model %s --gpus %d%s --layout %s", a.Model, a.GPUs, nonDefaults(a), r.Ranking[0].Layout)
}

// bandNote says what the band of the first row rests on.
func bandNote(w io.Writer, a *ask.Answer, e *strategies.Estimate) {
	runs, note := a.BandNote(e)
	text := "of 80 %"
	if runs > 0 {
		text += fmt.Sprintf(": 4 of 5 of %d comparable measured runs fell inside", runs)
	}
	if note != "" {
		text += "; " + note
	}
	Note(w, "band", "%s", text)
}

// nonDefaults repeats the flags that the user gave, so that a hint can be
// pasted.
func nonDefaults(a *ask.Answer) string {
	chosen := map[string]bool{}
	for _, d := range a.Defaults {
		chosen[d.Flag] = true
	}
	var b strings.Builder
	for _, f := range []struct{ flag, value string }{
		{"--hardware", a.Hardware}, {"--seq-len", fmt.Sprint(a.SeqLen)}, {"--global-batch", fmt.Sprint(a.GlobalBatch)},
		{"--precision", a.Precision}, {"--framework", a.Framework}, {"--pass", a.Pass}, {"--attention", a.Attention},
	} {
		if f.value != "" && !chosen[f.flag] {
			fmt.Fprintf(&b, " %s %s", f.flag, f.value)
		}
	}
	for _, f := range []struct {
		flag  string
		value float64
	}{{"--trainable", a.Trainable}, {"--imbalance", a.Imbalance}, {"--capacity-factor", a.Capacity}} {
		if f.value != 0 {
			fmt.Fprintf(&b, " %s %g", f.flag, f.value)
		}
	}
	if n := a.Options.GPUsPerNode; n > 0 {
		fmt.Fprintf(&b, " --gpus-per-node %d", n)
	}
	if r := a.Options.InterNode; r > 0 {
		fmt.Fprintf(&b, " --inter-node %.4gGb/s", r.Gbps())
	}
	if a.AllowLong {
		b.WriteString(" --allow-long")
	}
	return b.String()
}

// Stats writes the values tried per dimension, the refusals and the rate.
func Stats(w io.Writer, r *strategies.Result) {
	for _, dim := range []string{"tp", "pp", "vpp", "cp", "ep", "dp", "zero", "shard", "mbs"} {
		if v := r.Tried[dim]; len(v) > 0 {
			Note(w, "tried "+dim, "%s", strings.Trim(fmt.Sprint(v), "[]"))
		}
	}
	var rules []string
	for rule, n := range r.Rejected {
		rules = append(rules, fmt.Sprintf("%s %s", rule, Count(n)))
	}
	slices.Sort(rules)
	Note(w, "refused", "%s", strings.Join(rules, " · "))
	Note(w, "rate", "%s layouts a second", Count(int(float64(r.Legal)/r.Elapsed.Seconds())))
}
