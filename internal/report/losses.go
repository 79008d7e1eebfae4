package report

import (
	"planner/costmodel/collective"
	"planner/strategies"
)

// Loss is one cause for which the peak is not reached. Seconds is its part of
// the step, and Points the same as a share of the step, which is what it costs
// in MFU:
//
//	1 = MFU + Σ Points
//
// because MFU = ideal/step and step = ideal + Σ Seconds, where ideal is the
// model's FLOPs at the dense peak of all GPUs.
type Loss struct {
	Name, Class, Note string
	Seconds, Points   float64
}

// losses splits a step by cause, in the order of the waterfall.
func losses(p *strategies.Problem, e *strategies.Estimate) []Loss {
	step, again := float64(e.Step), recomputed(p, e)
	ideal := step * p.Rates(e).MFU
	out := []Loss{
		{Name: "kernels below peak", Class: "cmp2", Seconds: float64(e.Compute) - ideal - again,
			Note: "products and attention below peak, norms, imbalance"},
		{Name: "recomputation", Class: "cmp3", Seconds: again, Note: "forward passes that the backward pass repeats"},
	}
	for _, axis := range []collective.Axis{collective.AxisTP, collective.AxisCP, collective.AxisEP, collective.AxisPP, collective.AxisDP, collective.AxisOther} {
		out = append(out, Loss{Name: "exposed " + axisTitle(axis.String()), Class: axis.String(), Seconds: float64(e.Exposed[axis]), Note: axisNotes[axis]})
	}
	out = append(out,
		Loss{Name: "bubble", Class: "bub", Seconds: float64(e.Bubble), Note: "idle time of the schedule and of unequal stages"},
		Loss{Name: "optimizer", Class: "opt", Seconds: float64(e.Optimizer), Note: "Adam on the parameters that a rank updates"},
		Loss{Name: "overhead", Class: "ovh", Seconds: float64(e.Overhead), Note: "launches, data, logging, stragglers"})
	var kept []Loss
	for _, l := range out {
		if l.Points = l.Seconds / step; l.Points > 5e-5 || l.Points < -5e-5 {
			kept = append(kept, l)
		}
	}
	return kept
}

var axisNotes = [collective.NumAxes]string{
	collective.AxisTP:    "calls of TP and SP that nothing hides",
	collective.AxisCP:    "keys and values that attention waits for",
	collective.AxisEP:    "tokens on their way to experts and back",
	collective.AxisPP:    "waiting for hops between stages",
	collective.AxisDP:    "gradients and parameters that compute does not hide",
	collective.AxisOther: "norms, losses and other small calls",
}

// recomputed returns the seconds that recomputation adds to compute: the same
// layout without it, estimated again.
func recomputed(p *strategies.Problem, e *strategies.Estimate) float64 {
	if e.Layout.Recompute == strategies.RecomputeNone {
		return 0
	}
	l := e.Layout
	l.Recompute, l.FullLayers = strategies.RecomputeNone, 0
	without := p.Estimate(l, e.Framework)
	return max(0, float64(e.Compute-without.Compute))
}

// parts are the terms of a step for the bar of seconds.
func parts(e *strategies.Estimate) []Loss {
	out := []Loss{{Name: "compute", Class: "cmp", Seconds: float64(e.Compute)}}
	for _, axis := range collective.Axes() {
		out = append(out, Loss{Name: "exposed " + axisTitle(axis.String()), Class: axis.String(), Seconds: float64(e.Exposed[axis])})
	}
	out = append(out, Loss{Name: "bubble", Class: "bub", Seconds: float64(e.Bubble)},
		Loss{Name: "optimizer", Class: "opt", Seconds: float64(e.Optimizer)}, Loss{Name: "overhead", Class: "ovh", Seconds: float64(e.Overhead)})
	var kept []Loss
	for _, l := range out {
		if l.Points = l.Seconds / float64(e.Step); l.Points > 5e-5 {
			kept = append(kept, l)
		}
	}
	return kept
}
