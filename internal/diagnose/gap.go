package diagnose

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"planner/costmodel/collective"
	"planner/costmodel/kernel"
	"planner/hardware/unit"
	"planner/internal/catalog"
	"planner/internal/sensitivity"
	"planner/strategies"
)

// Hypothesis is something that would make the step longer than predicted.
type Hypothesis struct {
	What  string  `json:"what"`
	Step  float64 `json:"step_seconds"` // if it were so
	Check string  `json:"check"`        // how to find out
	// Explains is the share of the gap that it would explain.
	Explains float64 `json:"explains"`
}

// Gap is a measured step against the predicted one.
type Gap struct {
	Measured unit.Seconds
	Relative float64 // measured over predicted, less 1
	Inside   bool    // of the 80 % band
	Could    []Hypothesis
}

// An explanation of less than a tenth of a gap does not matter, and one of more
// than five times would have been slower still.
const least, most = 0.1, 5

// gap weighs what could explain a measured step, the nearest explanation
// first. Only explanations in the direction of the gap are kept.
func (s *Subject) gap(measured unit.Seconds) (*Gap, error) {
	x := s.Explain
	g := &Gap{Measured: measured, Relative: float64(measured/x.Step) - 1, Inside: measured >= x.Low && measured <= x.High}
	all, err := s.hypotheses()
	if err != nil {
		return nil, err
	}
	for _, h := range all {
		if d := h.Step - float64(x.Step); d > 0 && measured > x.Step {
			h.Explains = d / float64(measured-x.Step)
			if h.Explains >= least && h.Explains <= most {
				g.Could = append(g.Could, h)
			}
		}
	}
	slices.SortStableFunc(g.Could, func(a, b Hypothesis) int { return cmp.Compare(distance(a.Explains), distance(b.Explains)) })
	g.Could = g.Could[:min(len(g.Could), 6)]
	return g, nil
}

// distance is how far an explanation is from explaining exactly the gap, in
// factors.
func distance(share float64) float64 { return math.Abs(math.Log(math.Max(share, 1e-9))) }

// hypotheses returns what may slow a run of this layout.
func (s *Subject) hypotheses() ([]Hypothesis, error) {
	out := s.unhidden()
	for _, h := range []struct {
		figure string
		k      float64
		what   string
		check  string
	}{
		{sensitivity.Network, 0.5, "the network gives half of its bandwidth", "planner bench, or nccl-tests between nodes: rails, congestion, GPUDirect RDMA, NCCL_IB_HCA"},
		{sensitivity.ScaleUp, 0.1, "GPUs of a node do not reach each other directly (P2P off)", "nvidia-smi topo -p2p r; NCCL_P2P_DISABLE must not be set"},
		{sensitivity.Compute, 0.85, "clocks are 15 % below boost (power or heat)", "nvidia-smi -q -d CLOCK,PERFORMANCE during the run"},
	} {
		p, err := sensitivity.Scaled(s.Answer.Problem, h.figure, h.k)
		if err != nil {
			return nil, err
		}
		if p != nil {
			e := p.Estimate(s.Explain.Layout, s.Explain.Framework)
			out = append(out, Hypothesis{What: h.what, Step: float64(e.Step), Check: h.check})
		}
	}
	if e, ok := s.try(func(l *strategies.Layout) { l.Recompute, l.FullLayers = strategies.RecomputeFull, 0 }); ok && s.Explain.Layout.Recompute != strategies.RecomputeFull {
		out = append(out, Hypothesis{What: "full recomputation is on", Step: float64(e.Step), Check: "the model's gradient checkpointing setting"})
	}
	unfused, err := s.unfused()
	if err != nil {
		return nil, err
	}
	return append(out, unfused...), nil
}

// unhidden are the axes whose calls might not overlap as predicted.
func (s *Subject) unhidden() []Hypothesis {
	var out []Hypothesis
	settings := map[collective.Axis]string{
		collective.AxisDP: "overlap_grad_reduce and overlap_param_gather (Megatron), overlap_comm (DeepSpeed), prefetch (FSDP); CUDA_DEVICE_MAX_CONNECTIONS",
		collective.AxisTP: "tp_comm_overlap, CUDA_DEVICE_MAX_CONNECTIONS=1",
		collective.AxisPP: "overlap_p2p_communication",
		collective.AxisCP: "the attention kernel's ring, its own stream",
		collective.AxisEP: "overlap_moe_expert_parallel_comm",
	}
	for _, axis := range []collective.Axis{collective.AxisDP, collective.AxisTP, collective.AxisPP, collective.AxisCP, collective.AxisEP} {
		_, alone, exposed := s.sent(axis)
		if alone > exposed && alone > 0 {
			out = append(out, Hypothesis{What: fmt.Sprintf("no %s call overlaps compute", axis), Step: float64(s.Explain.Step + alone - exposed), Check: settings[axis]})
		}
	}
	return out
}

// unfused is attention without a fused kernel.
func (s *Subject) unfused() ([]Hypothesis, error) {
	p := s.Answer.Problem
	w := p.Work
	k, ok := kernel.ParseAttentionKernel("unfused")
	if !ok || w.Attention == k {
		return nil, nil
	}
	w.Attention = k
	q, err := catalog.Problem(p.Model, p.Cluster, w, p.Profiles)
	if err != nil {
		return nil, err
	}
	e := q.Estimate(s.Explain.Layout, s.Explain.Framework)
	return []Hypothesis{{What: "attention runs unfused", Step: float64(e.Step), Check: "the attention backend in the log (flash or fused)"}}, nil
}
