package diagnose

import (
	"fmt"

	"planner/costmodel/collective"
	"planner/hardware/unit"
	"planner/internal/show"
	"planner/strategies"
)

// rules returns what is mis-set in a layout: what the file's own settings
// showed first, then what needs the model, each with its effect estimated.
func (s *Subject) rules() []Finding {
	c := &Config{Findings: append([]Finding{}, s.Config.Findings...)}
	for _, rule := range []func(*Config){s.everyMicroBatch, s.nothingToShard, s.noOverlap, s.buckets, s.hpz, s.offload, s.recompute, s.pipeline, s.tensor, s.crowded, s.exchanges} {
		rule(c)
	}
	return c.Findings
}

// try estimates a changed layout under the same framework; ok is false where
// it is not legal.
func (s *Subject) try(change func(*strategies.Layout)) (e strategies.Estimate, ok bool) {
	l := s.Explain.Layout
	change(&l)
	p := s.Answer.Problem
	if p.Check(&l, s.Explain.Framework) != nil {
		return e, false
	}
	return p.Estimate(l, s.Explain.Framework), true
}

// effect says what a change does to step and memory.
func (s *Subject) effect(e *strategies.Estimate) string {
	fits := ""
	if !e.Fits {
		fits = ", does not fit"
	}
	return fmt.Sprintf("step %.3f → %.3f s (%+.1f %%), %.1f → %.1f GiB%s", s.Explain.Step, e.Step, 100*(float64(e.Step/s.Explain.Step)-1),
		s.Explain.Memory.Total().GiB(), e.Memory.Total().GiB(), fits)
}

// sent sums the bytes that one rank of the slowest stage sends on an axis in
// a phase of one step.
func (s *Subject) sent(axis collective.Axis) (bytes unit.Bytes, standalone, exposed unit.Seconds) {
	for i := range s.Explain.Calls {
		c := &s.Explain.Calls[i]
		if c.Axis == axis && c.Stage == s.Explain.Slowest && c.Phase.InStep() {
			bytes += c.Wire().Times(c.Count)
			standalone += c.Total()
			exposed += c.Exposed
		}
	}
	return bytes, standalone, exposed
}

func (s *Subject) everyMicroBatch(c *Config) {
	l, ga := &s.Explain.Layout, s.Explain.MicroBatches
	if l.Zero < 2 || ga < 2 || !s.Explain.Framework.SumsEveryBatch(l) {
		return
	}
	bytes, _, exposed := s.sent(collective.AxisDP)
	says := fmt.Sprintf("stage %d communicates every micro-batch; with GA=%d that is %d × %s a step and rank, %.2f s exposed", l.Zero, ga, ga,
		bytes.Times(1/float64(ga)).Decimal(), exposed)
	c.find("ZeRO stage", says+s.fewerReductions())
}

// fewerReductions says which way to communicate less often helps and fits.
func (s *Subject) fewerReductions() string {
	once, legal := s.try(func(l *strategies.Layout) {
		l.Zero = 1
		l.HPZ = 0
		l.Offload = min(l.Offload, strategies.OffloadOptimizer)
	})
	if legal && once.Fits {
		return "; stage 1 reduces once a step: " + s.effect(&once)
	}
	half, doubled := s.try(func(l *strategies.Layout) { l.MBS *= 2 })
	switch {
	case doubled && half.Fits:
		return fmt.Sprintf("; mbs=%d halves it: %s", half.Layout.MBS, s.effect(&half))
	case legal && doubled:
		return fmt.Sprintf("; neither stage 1 nor mbs=%d fits", half.Layout.MBS)
	case legal:
		return "; stage 1 does not fit"
	case doubled:
		return fmt.Sprintf("; mbs=%d, which halves it, does not fit", half.Layout.MBS)
	}
	return ""
}

func (s *Subject) nothingToShard(c *Config) {
	if l := &s.Explain.Layout; l.Zero > 0 && l.DataRanks() == 1 {
		c.find("ZeRO stage", fmt.Sprintf("stage %d over one data-parallel rank splits nothing: ZeRO divides by DP, not by the world", l.Zero))
	}
}

func (s *Subject) noOverlap(c *Config) {
	if s.Config.Overlap == nil || *s.Config.Overlap || s.Explain.Layout.DP == 1 {
		return
	}
	_, alone, exposed := s.sent(collective.AxisDP)
	name := map[string]string{"deepspeed": "overlap_comm"}[s.Config.Framework]
	if name == "" {
		name = "overlap_grad_reduce"
	}
	says := "off: gradient calls wait for the backward pass; the prediction has them on"
	if d := alone - exposed; d > s.Explain.Step.Times(0.005) {
		says += fmt.Sprintf(", which hides %.2f s", d)
	}
	c.find(name, says)
}

// small is the elements of a bucket below which calls cost more in latency
// than they hide: 25 MB of 16-bit gradients, PyTorch's own bucket.
const small = 12_500_000

func (s *Subject) buckets(c *Config) {
	b := s.Config.Bucket
	if b <= 0 || b >= small || s.Explain.Layout.DP == 1 {
		return
	}
	held := s.Explain.Held[s.Explain.Slowest]
	c.find("reduce_bucket_size", fmt.Sprintf("%s elements: %.0f calls of %s for each reduction of the gradients; 5e8 is DeepSpeed's default", show.Count(b), held/float64(b)+0.5,
		unit.Bytes(2*b).Decimal()))
}

func (s *Subject) hpz(c *Config) {
	l, node := &s.Explain.Layout, s.Answer.Problem.Cluster.PerNode
	if l.HPZ > 0 && l.HPZ != node {
		c.find("zero_hpz_partition_size", fmt.Sprintf("%d, but a node has %d GPUs: the second copy of the parameters is to stay inside a node", l.HPZ, node))
	}
	if l.Zero == 3 && l.HPZ == 0 && s.Explain.Framework.Can.HPZ && s.Answer.Problem.Cluster.Nodes() > 1 {
		if e, ok := s.try(func(l *strategies.Layout) { l.HPZ = node }); ok && e.Fits && e.Step < s.Explain.Step.Times(1-strategies.Resolution) {
			c.find("zero_hpz_partition_size", fmt.Sprintf("not set: %d keeps the gathers of the backward pass inside a node: %s", node, s.effect(&e)))
		}
	}
}

func (s *Subject) offload(c *Config) {
	if s.Explain.Layout.Offload == strategies.OffloadNone {
		return
	}
	if e, ok := s.try(func(l *strategies.Layout) { l.Offload = strategies.OffloadNone }); ok && e.Fits {
		c.find("offload", "not needed, it fits without: "+s.effect(&e))
	}
}

func (s *Subject) recompute(c *Config) {
	if s.Explain.Layout.Recompute != strategies.RecomputeFull {
		return
	}
	for _, r := range []strategies.Recompute{strategies.RecomputeNone, strategies.RecomputeSelective} {
		e, ok := s.try(func(l *strategies.Layout) { l.Recompute, l.FullLayers = r, 0 })
		if ok && e.Fits {
			c.find("recomputation", fmt.Sprintf("full, where %s fits: %s", r, s.effect(&e)))
			return
		}
	}
}

// much is the share of a step above which a bubble is worth a finding.
const much = 0.10

func (s *Subject) pipeline(c *Config) {
	l, ga := &s.Explain.Layout, s.Explain.MicroBatches
	if l.PP == 1 || float64(s.Explain.Bubble/s.Explain.Step) < much {
		return
	}
	says := fmt.Sprintf("%d micro-batches on %d stages leave %.0f %% of the step idle", ga, l.PP, 100*float64(s.Explain.Bubble/s.Explain.Step))
	for vpp := 2; vpp <= 8 && l.VPP == 1; vpp++ {
		e, ok := s.try(func(l *strategies.Layout) { l.VPP, l.Schedule = vpp, strategies.Interleaved })
		if ok && e.Fits && e.Step < s.Explain.Step {
			says += fmt.Sprintf("; vpp=%d: %s", vpp, s.effect(&e))
			break
		}
	}
	c.find("pipeline", says)
}

func (s *Subject) tensor(c *Config) {
	l, cl := &s.Explain.Layout, s.Answer.Problem.Cluster
	if domain := cl.Tiers[cl.ScaleUp].Ranks; domain > 0 && l.TP > domain {
		c.find("tensor parallelism", fmt.Sprintf("tp=%d is wider than the %d GPUs that fast links join: every layer's calls cross the network", l.TP, domain))
	}
}
