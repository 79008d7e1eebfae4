package diagnose

import (
	"fmt"

	"planner/costmodel/collective"
	"planner/strategies"
)

// telling is the share of the step from which a wait is a finding.
const telling = 0.02

// crowded finds that memory is so close to capacity that the allocator retries.
func (s *Subject) crowded(c *Config) {
	x := s.Explain
	if x.Retries < x.Step.Times(telling) {
		return
	}
	says := fmt.Sprintf("%.0f %% of capacity: the allocator frees its cache and asks again, %.2f s of the step",
		100*float64(x.Memory.Total()/s.Answer.Problem.Capacity()), x.Retries)
	e, legal := s.try(func(l *strategies.Layout) { l.Recompute, l.FullLayers = strategies.RecomputeFull, 0 })
	if legal && e.Retries == 0 && e.Step < x.Step {
		says += "; recompute=full leaves room: " + s.effect(&e)
	}
	c.find("memory", says)
}

// exchanges finds the waits between stages that runs on so many GPUs have.
func (s *Subject) exchanges(c *Config) {
	x, p := s.Explain, s.Answer.Problem
	wait := p.ExchangeWait(x.Framework.FitFor(p.Cluster.GPU.Arch))
	if x.Layout.PP == 1 || wait == 0 || x.Exposed[collective.AxisPP] < x.Step.Times(telling) {
		return
	}
	c.find("pipeline", fmt.Sprintf("published runs of %s on %d GPUs wait %.2f s for each message of a neighbouring stage: %.2f s of the step; check yours, or use pp=1",
		x.Framework.Name, p.Cluster.GPUs, wait, x.Exposed[collective.AxisPP]))
}
