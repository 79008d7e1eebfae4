// Package export writes a layout in the words of the frameworks that run it:
// flags, Python, TOML, YAML and JSON under the names of one stated release,
// each with a list of what that framework cannot express.
//
// Names were read in the sources named by Target; see each file for its own.
package export

import (
	"fmt"
	"slices"
	"strings"

	"planner/internal/catalog"
	"planner/strategies"
)

// Plan is a layout to export, with what the header says of it.
type Plan struct {
	Problem   *strategies.Problem
	Layout    strategies.Layout
	Profile   *strategies.Profile // under which the layout was predicted
	ModelRef  string              // --model as given
	Planner   string              // version of this program
	Predicted string              // step, MFU and memory, in words
	// Refused is what the target's own framework says against the layout, or
	// nil.
	Refused *strategies.Violation
}

// MicroBatches returns GA = GBS/(DP·MBS), the micro-batches of a step.
func (p *Plan) MicroBatches() int {
	return p.Problem.Work.GlobalBatch / (p.Layout.DP * p.Layout.MBS)
}

// Document is an exported file.
type Document struct {
	Text   string
	Target string // name and release whose names are used
	// Comments reports whether Text carries its own header; otherwise Header
	// goes into a side file.
	Comments bool
	Header   []string
	Missing  []string // what the target cannot express
	// Keys are those of the layout that are Missing in part or whole.
	Keys    []string
	refused string   // why the target could not run the file at all, and what would do
	Assumed []string // what the file leaves to defaults, and what follows
}

// target is one exporter.
type target struct {
	name, framework, release string
	write                    func(*Plan, *Document)
}

// Releases whose names are used (research of 2026-11-29).
const (
	megatronRelease   = "Megatron-LM d98e8a6 (core 0.20.0 line, 2026-08-22)"
	bridgeRelease     = "Megatron-Bridge 067f987 (0.7.0 line, 2026-08-22)"
	nemoRelease       = "NeMo 8cfedd7 (2025-09-20)"
	deepspeedRelease  = "DeepSpeed edaa722 (0.19.6 line, 2026-08-22)"
	titanRelease      = "torchtitan b5bcd76 (main, 2026-08-21)"
	titanTOMLRelease  = "torchtitan v0.2.2 (2026-02-20)"
	accelerateRelease = "accelerate 16cb6eb (1.15.0.dev0, 2026-07-24)"
)

var targets = []target{
	{"megatron", "megatron", megatronRelease, megatron},
	{"megatron-bridge", "megatron", bridgeRelease, bridge},
	{"deepspeed", "deepspeed", deepspeedRelease, deepspeed},
	{"torchtitan", "torchtitan", titanRelease, titan},
	{"torchtitan-toml", "torchtitan", titanTOMLRelease, titanTOML},
	{"fsdp", "fsdp", accelerateRelease, accelerate},
	{"nemo", "megatron", nemoRelease, nemo},
	{"slurm", "", "Slurm sbatch and torchrun (PyTorch 2.x)", slurm},
	{"torchrun", "", "torchrun (PyTorch 2.x)", torchrun},
}

// Targets returns the names of the exporters.
func Targets() []string {
	var names []string
	for _, t := range targets {
		names = append(names, t.name)
	}
	return names
}

// Framework returns the framework that a target belongs to, "" for launchers.
// The error for an unknown target is a *catalog.Error.
func Framework(name string) (string, error) {
	t, err := find(name)
	if err != nil {
		return "", err
	}
	return t.framework, nil
}

func find(name string) (*target, error) {
	i := slices.IndexFunc(targets, func(t target) bool { return t.name == name })
	if i >= 0 {
		return &targets[i], nil
	}
	if n := catalog.Nearest(name, Targets()); n != "" {
		return nil, catalog.Errorf("--to %q: no such target: did you mean %q?", name, n)
	}
	return nil, catalog.Errorf("--to %q: no such target: want %s", name, strings.Join(Targets(), ", "))
}

// Export writes the plan for a target.
func Export(name string, p *Plan) (*Document, error) {
	t, err := find(name)
	if err != nil {
		return nil, err
	}
	d := &Document{Target: t.release, Comments: true}
	if v := p.Refused; v != nil {
		d.missing("%s: %s: %s", v.Given, v.Reason, v.Remedy)
	}
	d.Header = []string{
		fmt.Sprintf("planner %s · %s on %d GPUs · layout %s", p.Planner, p.Problem.Model.Name, p.Problem.Cluster.GPUs, p.Layout),
		fmt.Sprintf("predicted for %s: %s", p.Profile.Name, p.Predicted),
		"target: " + t.release,
	}
	p = asRun(p, d)
	workload(t.name, p, d)
	if t.framework == "" {
		launched(p, d)
	}
	t.write(p, d)
	if d.refused != "" {
		return nil, catalog.Errorf("--to %s: %s%s", name, d.refused, instead(name, p))
	}
	return d, nil
}

// instead names the other targets of the framework that could run the layout.
func instead(name string, p *Plan) string {
	var names []string
	for _, t := range targets {
		if t.framework != p.Profile.Name || t.name == name {
			continue
		}
		if _, refused := t.gaps(p); refused == "" {
			names = append(names, "--to "+t.name)
		}
	}
	if names == nil {
		return ""
	}
	return ", or " + strings.Join(names, ", ")
}

// Gaps returns the keys of a layout that a target cannot express, and why it
// could not run the rest, "" where it could. The name is one of Targets.
func Gaps(name string, p *Plan) (keys []string, refused string) {
	t, err := find(name)
	if err != nil {
		return nil, err.Error()
	}
	return t.gaps(p)
}

func (t *target) gaps(p *Plan) (keys []string, refused string) {
	d := &Document{}
	t.write(p, d)
	return d.Keys, d.refused
}

// asRun returns the plan in the format that its part computes in, which the
// figures are of.
func asRun(p *Plan, d *Document) *Plan {
	gpu, asked := p.Problem.Cluster.GPU, p.Problem.Work.Precision
	as := gpu.RunsAs(asked)
	if as == asked {
		return p
	}
	d.assume("%s has no %s units: written in %s, as predicted", gpu.Name, asked, as)
	problem, run := *p.Problem, *p
	problem.Work.Precision = as
	run.Problem = &problem
	return &run
}

func (d *Document) missing(format string, args ...any) {
	d.Missing = append(d.Missing, fmt.Sprintf(format, args...))
}

// cannot notes keys of the layout, joined by commas, that the target has no or
// not enough words for.
func (d *Document) cannot(keys, format string, args ...any) {
	d.Keys = append(d.Keys, strings.Split(keys, ",")...)
	d.missing(format, args...)
}

// refuse notes keys of the layout, if any, without which the file could not run:
// the first fault stands.
func (d *Document) refuse(keys, format string, args ...any) {
	if keys != "" {
		d.Keys = append(d.Keys, strings.Split(keys, ",")...)
	}
	if d.refused == "" {
		d.refused = fmt.Sprintf(format, args...)
	}
}

func (d *Document) assume(format string, args ...any) {
	d.Assumed = append(d.Assumed, fmt.Sprintf(format, args...))
}

// comments returns the header, what is missing and what is assumed, a line
// each.
func (d *Document) comments() []string {
	lines := slices.Clone(d.Header)
	if d.Missing == nil {
		lines = append(lines, "cannot express: nothing")
	}
	for _, m := range d.Missing {
		lines = append(lines, "cannot express: "+m)
	}
	for _, a := range d.Assumed {
		lines = append(lines, "assumed: "+a)
	}
	return lines
}

// commented returns the comments behind a prefix, such as "# ".
func (d *Document) commented(prefix string) string {
	var b strings.Builder
	for _, l := range d.comments() {
		b.WriteString(strings.TrimRight(prefix+l, " "))
		b.WriteByte('\n')
	}
	return b.String()
}

// SideFile returns the header for a format that has no comments.
func (d *Document) SideFile() string { return d.commented("") }
