package report

import (
	"fmt"
	"strings"

	"github.com/BurntSushi/toml"

	"planner/hardware"
	"planner/internal/ask"
	"planner/internal/catalog"
	"planner/internal/show"
	"planner/presets"
	"planner/strategies"
)

// Assumption is one value that the plan rests on, where it is from, and the
// date at which the source said so.
type Assumption struct{ What, Value, From, AsOf string }

// assumptions lists what was assumed, the question's defaults first.
func (r *Review) assumptions() []Assumption {
	p := r.Answer.Problem
	var out []Assumption
	for _, d := range r.Answer.Defaults {
		out = append(out, Assumption{"chosen: " + d.Flag, d.Value, "default of planner", ""})
	}
	for _, l := range r.Limits {
		out = append(out, Assumption{"constraint", l, "given", ""})
	}
	out = append(out, modelAssumption(p))
	out = append(out, hardwareAssumptions(p)...)
	out = append(out, linkAssumptions(p.Cluster)...)
	out = append(out, kernelAssumption(p))
	out = append(out, frameworkAssumptions(p, r.Pick.Framework)...)
	if b := p.UserbufferBytes(r.Pick.Framework, &r.Pick.Layout); b > 0 {
		out = append(out, Assumption{"userbuffers", fmt.Sprintf("%.4g GiB a process beside tensors, through which TP calls run beside products", b.GiB()), "TransformerEngine pytorch/module/base.py, initialize_ub", ""})
	}
	out = append(out, methodAssumptions(r.Answer, &r.Pick.Estimate)...)
	out = append(out, r.costAssumptions()...)
	for _, w := range show.ExplainWarnings(r.Answer, r.Pick) {
		out = append(out, Assumption{"note", w, "", ""})
	}
	return out
}

func modelAssumption(p *strategies.Problem) Assumption {
	m := p.Model
	from := m.Source
	if from == "" {
		from = "the file given"
	}
	return Assumption{"model", fmt.Sprintf("%s, %s parameters", m.Name, show.Count(m.Parameters())), from, m.AsOf}
}

func hardwareAssumptions(p *strategies.Problem) []Assumption {
	g, c := p.Cluster.GPU, p.Cluster
	out := []Assumption{
		{fmt.Sprintf("dense %s peak", p.Work.Precision), peak(p) + " per GPU", g.Source, g.AsOf},
		{"memory a process may use", fmt.Sprintf("%.1f GiB of %.0f", p.Capacity().GiB(), g.Memory.GiB()), g.Source, g.AsOf},
		{"memory bandwidth", g.MemoryBandwidth.String(), g.Source, g.AsOf},
		{"cluster", fmt.Sprintf("%s: %s GPUs, %d a node", c.Name, show.Count(c.GPUs), c.PerNode), c.Source, c.AsOf},
	}
	if c.Note != "" {
		out = append(out, Assumption{"cluster, note", c.Note, c.Source, c.AsOf})
	}
	if len(c.Assumed) > 0 {
		out = append(out, Assumption{"cluster, not stated by any source", strings.Join(c.Assumed, ", "), "assumed", c.AsOf})
	}
	return out
}

// fitFile is what readers of presets/collectives/fit.toml are told.
type fitFile struct {
	Source string `toml:"source"`
	AsOf   string `toml:"as_of"`
	Links  []struct {
		Name, Confidence string
		FittedOn         string `toml:"fitted_on"`
	} `toml:"link"`
}

// linkAssumptions gives each tier's nominal rate and what its constants were
// fitted on.
func linkAssumptions(c *hardware.Cluster) []Assumption {
	var file fitFile
	if text, err := presets.Collectives.ReadFile("collectives/fit.toml"); err == nil {
		_, err = toml.Decode(string(text), &file)
		if err != nil {
			file = fitFile{}
		}
	}
	constants, err := catalog.Collectives()
	var out []Assumption
	for i := range c.Tiers {
		t := &c.Tiers[i]
		if i > 0 && !networked(c) {
			break
		}
		nominal := fmt.Sprintf("%s per GPU, one direction (%.4g Gb/s)", t.Bandwidth, t.Bandwidth.Gbps())
		if ports := show.Ports(t); ports != "" {
			nominal += ": " + ports
		}
		out = append(out, Assumption{linkTitle(t.Kind) + ", nominal", nominal, c.Source, c.AsOf})
		if err != nil {
			continue
		}
		link, ok := constants.Link(t.Kind, c.GPU.Arch)
		if !ok {
			continue
		}
		for _, l := range file.Links {
			if l.Name == link.Name {
				out = append(out, Assumption{linkTitle(t.Kind) + ", reached", fmt.Sprintf("%.0f %% by large rings, %s a call and %s a step (confidence %s)", 100*link.Reach, link.Base, link.Hop, l.Confidence),
					"fitted on " + l.FittedOn, file.AsOf})
			}
		}
	}
	return out
}

func kernelAssumption(p *strategies.Problem) Assumption {
	f, err := catalog.LoadKernels(p.Cluster.GPU.Arch, p.Cluster.GPU.Name)
	if err != nil {
		return Assumption{What: "kernels", Value: "not known"}
	}
	return Assumption{"kernel times", fmt.Sprintf("constants of %s, fitted on %s (confidence: %s)", f.Arch, f.FittedOn, f.Confidence), f.Source, f.AsOf}
}

func frameworkAssumptions(p *strategies.Problem, f *strategies.Profile) []Assumption {
	fit, m := f.FitFor(p.Cluster.GPU.Arch), &f.Memory
	var file map[string]any
	if text, err := presets.Profiles.ReadFile("profiles/fit.toml"); err == nil {
		_, err = toml.Decode(string(text), &file)
		if err != nil {
			file = nil
		}
	}
	source, _ := file["source"].(string)
	asOf, _ := file["as_of"].(string)
	out := []Assumption{
		{"framework", fmt.Sprintf("%s: its calls, their order and its defaults", strings.TrimSpace(title(f.Title, f.Name)+" "+f.Target)), f.Source, f.AsOf},
		{"state, bytes a parameter", fmt.Sprintf("weights %g, gradients %g, master %g, moments %g, before ZeRO splits them", m.Weight, m.Grad, m.Master, m.Moments), f.Source, f.AsOf},
		{"share of a call left exposed beside work", fmt.Sprintf("TP %g (%g beside an independent product), CP %g, EP %g, PP %g, DP %g", fit.TPExposed, fit.TPBeside, fit.CPExposed, fit.EPExposed, fit.PPExposed, fit.DPExposed), source, asOf},
		{"host times", fmt.Sprintf("%s a layer and direction, %s a micro-batch, %s a step; stragglers %g %% per doubling beyond 8 ranks", fit.Host, fit.HostBatch, fit.HostStep, 100*fit.Straggler), source, asOf},
		{"memory beside tensors", fmt.Sprintf("%s a process, %s a communicator, %.0f %% of activations lost to fragmentation", fit.Runtime, fit.PerComm, 100*fit.Fragment), source, asOf},
	}
	if f.Recipe != "" {
		out = append(out, Assumption{"framework, recipe", f.Recipe, f.Source, f.AsOf})
	}
	return out
}

func methodAssumptions(a *ask.Answer, e *strategies.Estimate) []Assumption {
	band := Assumption{"band of one estimate", "not known: no band was fitted for comparable runs", "", ""}
	if e.High > e.Low {
		band.Value, band.From = fmt.Sprintf("%.2f … %.2f s, 80 %%%s", e.Low, e.High, comparable(a, e)), "residuals of published runs: docs/ACCURACY.md"
	}
	return []Assumption{
		band,
		{"resolution between layouts", fmt.Sprintf("%.1f %% of the step: layouts closer than that are a tie", 100*strategies.Resolution), "what layouts share cancels", ""},
		{"MFU", "FLOPs of the model over step × dense peak × GPUs; 6 × active parameters without the input embedding, and 12 × layers × heads × head size × sequence for attention, counted whole", "definition: Chowdhery et al. 2022, appendix B", ""},
		{"volumes", "M and wire bytes as nccl-tests define them", "https://github.com/NVIDIA/nccl-tests/blob/master/doc/PERFORMANCE.md", ""},
	}
}

// comparable says what a band rests on.
func comparable(a *ask.Answer, e *strategies.Estimate) string {
	runs, note := a.BandNote(e)
	s := ""
	if runs > 0 {
		s = fmt.Sprintf(": 4 of 5 of %d comparable measured runs fell inside", runs)
	}
	if note != "" {
		s += "; " + note
	}
	return s
}

func (r *Review) costAssumptions() []Assumption {
	c := r.Answer.Problem.Cluster
	out := []Assumption{{"run that is costed", tokens(r.Cost.Tokens) + " tokens without restarts or evaluation", given(r.Tokens != 0), ""}}
	switch {
	case r.Price > 0:
		out = append(out, Assumption{"price", dollars(r.Price) + " a GPU-hour", "given", ""})
	case c.PricePerGPUHour > 0:
		out = append(out, Assumption{"price", dollars(c.PricePerGPUHour) + " a GPU-hour", c.PriceSource, c.AsOf})
	}
	return out
}

func given(yes bool) string {
	if yes {
		return "given"
	}
	return "default of planner"
}

func title(t, name string) string {
	if t != "" {
		return t
	}
	return name
}
