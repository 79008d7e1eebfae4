package calibrate

import (
	"cmp"
	"runtime"
	"strings"
	"sync"

	"planner/hardware"
	"planner/internal/validate"
	"planner/strategies"
)

// place is a framework on a family of accelerators, which runs the same software
// on all of them.
type place struct{ framework, arch string }

// compare orders places, so that a fit repeats to the last digit.
func (p place) compare(q place) int {
	return cmp.Or(cmp.Compare(p.framework, q.framework), cmp.Compare(p.arch, q.arch))
}

// constants is what a fit turns: per place and per generation.
type constants struct {
	profiles map[place]*strategies.ProfileFit
	gpus     map[string]*hardware.Efficiency
}

func (c *constants) clone() *constants {
	o := &constants{map[place]*strategies.ProfileFit{}, map[string]*hardware.Efficiency{}}
	for k, v := range c.profiles {
		f := *v
		o.profiles[k] = &f
	}
	for k, v := range c.gpus {
		e := *v
		o.gpus[k] = &e
	}
	return o
}

// sample is a case with what was measured.
type sample struct {
	*validate.Case
	at      place
	part    string // whose efficiency: the generation, or the part where powers differ
	source  string
	group   string
	step    float64 // seconds, 0: not measured
	memory  float64 // GiB, 0: not measured
	outcome string
}

// samples builds the cases of runs that can be predicted and were measured.
func samples(runs []validate.Run) []*sample {
	b := validate.NewBuilder()
	var out []*sample
	for i := range runs {
		c := b.Case(&runs[i])
		if c.Skipped != "" {
			continue
		}
		out = append(out, sampleOf(&c))
	}
	return out
}

// sampleOf adds to a case whose constants predict it and what was measured.
func sampleOf(c *validate.Case) *sample {
	s := &sample{Case: c, at: place{c.Profile.Name, hardware.Family(c.Cluster.GPU.Arch)}, part: partOf(c.Cluster.GPU),
		source: c.Run.Source, group: c.Run.Group, step: c.MeasuredStep(), outcome: c.Run.Outcome}
	if c.Run.Outcome != "oom" {
		s.memory = c.Run.Memory
	}
	return s
}

// partOf names the group of accelerators that share fitted shares of peak: a
// generation; of Blackwell each part, as boards of 1000 to 1400 W sustain
// different clocks under the same printed peak.
func partOf(a *hardware.Accelerator) string {
	if strings.HasPrefix(a.Arch, "blackwell") {
		return a.Name
	}
	return a.Arch
}

// start returns the priors for the places of rows.
func start(rows []*sample) *constants {
	priors := profilePriors()
	c := &constants{map[place]*strategies.ProfileFit{}, map[string]*hardware.Efficiency{}}
	for _, s := range rows {
		if c.profiles[s.at] == nil {
			f, ok := priors[s.at.framework][s.at.arch]
			if !ok {
				f = priors[s.at.framework]["default"]
			}
			unset(&f, s.at.arch)
			c.profiles[s.at] = &f
		}
		if c.gpus[s.part] == nil {
			e := gpuPrior(s.Cluster.GPU)
			c.gpus[s.part] = &e
		}
	}
	return c
}

// predict estimates a sample under constants.
func (s *sample) predict(c *constants) (*strategies.Problem, strategies.Estimate) {
	cluster, gpu, prof := *s.Cluster, *s.Cluster.GPU, *s.Profile
	gpu.Fit = *c.gpus[s.part]
	cluster.GPU = &gpu
	prof.Fit = nil
	prof.Default = *c.profiles[s.at]
	p := s.Under(&cluster, &prof)
	return p, p.Estimate(s.Layout, &prof)
}

// turn is a knob of one place or generation, in a fit.
type turn struct {
	knob
	at place // framework "" for a generation
}

func (t *turn) value(c *constants) *float64 {
	if t.gpu != nil {
		return t.gpu(c.gpus[t.at.arch])
	}
	return t.profile(c.profiles[t.at])
}

// moves reports whether the knob can change the prediction of a sample.
func (t *turn) moves(s *sample) bool {
	if t.at.framework == "" {
		return t.at.arch == s.part
	}
	return t.at == s.at
}

// each runs f on every index with as many workers as there are cores, at most
// two.
func each(n int, f func(int)) {
	workers := min(2, runtime.GOMAXPROCS(0))
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := w; i < n; i += workers {
				f(i)
			}
		})
	}
	wg.Wait()
}

// residual is a prediction's error that a fit works against.
type residual func(s *sample, p *strategies.Problem, e *strategies.Estimate) float64

// stepResidual is predicted/measured − 1 of the step.
func stepResidual(s *sample, _ *strategies.Problem, e *strategies.Estimate) float64 {
	return float64(e.Step)/s.step - 1
}

// memoryResidual is predicted/measured − 1 where memory was measured; where
// only fit or OOM is known, by how much the prediction lies on the wrong side
// of the capacity.
func memoryResidual(s *sample, p *strategies.Problem, e *strategies.Estimate) float64 {
	if s.memory > 0 {
		return s.Comparable(&e.Memory)/s.memory - 1
	}
	over := float64(e.Memory.Total()/p.Capacity()) - 1
	switch {
	case s.outcome == "oom" && over < oomMargin:
		return over - oomMargin
	case s.outcome == "ok" && over > -oomMargin:
		return over + oomMargin
	}
	return 0
}

// oomMargin keeps a fit from balancing rows on the capacity's edge.
const oomMargin = 0.005

// remembers reports whether a sample speaks of memory. Runs that ended ok
// without a figure speak only beside others that ran out.
func (s *sample) remembers(oom map[string]bool) bool {
	return s.memory > 0 || oom[s.source] && (s.outcome == "ok" || s.outcome == "oom")
}

// outOfMemory returns the sources that record OOM.
func outOfMemory(rows []*sample) map[string]bool {
	m := map[string]bool{}
	for _, s := range rows {
		if s.outcome == "oom" {
			m[s.source] = true
		}
	}
	return m
}
