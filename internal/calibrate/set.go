package calibrate

import (
	"math"
	"runtime"
	"sync"

	"planner/hardware"
	"planner/internal/validate"
	"planner/strategies"
)

// place is a framework on a generation of accelerators.
type place struct{ framework, arch string }

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
	source  string
	group   string
	step    float64 // seconds, 0: not measured
	memory  float64 // GiB, 0: not measured
	outcome string
	weight  float64 // 1/rows of its source, times the number of sources' mean
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
		s := &sample{Case: &c, at: place{c.Profile.Name, c.Cluster.GPU.Arch}, source: runs[i].Source, group: runs[i].Group,
			step: c.MeasuredStep(), outcome: runs[i].Outcome}
		if runs[i].Outcome != "oom" {
			s.memory = runs[i].Memory
		}
		out = append(out, s)
	}
	return out
}

// start returns the constants that the presets hold for the places of rows.
func start(rows []*sample) *constants {
	c := &constants{map[place]*strategies.ProfileFit{}, map[string]*hardware.Efficiency{}}
	for _, s := range rows {
		if c.profiles[s.at] == nil {
			f := *s.Profile.FitFor(s.at.arch)
			c.profiles[s.at] = &f
		}
		if c.gpus[s.at.arch] == nil {
			e := s.Cluster.GPU.Fit
			c.gpus[s.at.arch] = &e
		}
	}
	return c
}

// predict estimates a sample under constants.
func (s *sample) predict(c *constants) (*strategies.Problem, strategies.Estimate) {
	cluster, gpu, prof := *s.Cluster, *s.Cluster.GPU, *s.Profile
	gpu.Fit = *c.gpus[s.at.arch]
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
	return t.at.arch == s.at.arch && (t.at.framework == "" || t.at == s.at)
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

// stepResidual is ln(predicted/measured) of the step.
func stepResidual(s *sample, _ *strategies.Problem, e *strategies.Estimate) float64 {
	return math.Log(float64(e.Step) / s.step)
}
