package show

import (
	"fmt"
	"io"
	"math"

	"planner/costmodel/collective"
	"planner/costmodel/timeline"
	"planner/hardware/unit"
	"planner/strategies"
)

// bubble writes what the schedule leaves idle.
func bubble(w io.Writer, p *strategies.Problem, x *strategies.Explanation) {
	form, what, product := BubbleFormula(p, x)
	fmt.Fprintf(w, "  bubble     = %s, %s\n             = %s\n             %s\n", form, what, product, bubbleSentence(x))
}

// BubbleFormula returns the closed form for equal stages, what its letters mean,
// and its numbers, with the words why the table has another figure where it does.
//
//	1f1b, gpipe: (p−1)·S,  interleaved: (p−1)/v·S,  zb-h1: (p−1)·(S−2W)
//
// Sources: Narayanan et al. 2021, section 2.2; Huang et al. 2019, section 2.3;
// Qi et al. 2024, table 1, where the bubble is (p−1)(F+B−W) and B leaves W out.
func BubbleFormula(p *strategies.Problem, x *strategies.Explanation) (form, what, product string) {
	l, one := &x.Layout, slot(x)
	numbers, ideal := fmt.Sprintf("%d × %.1f ms", l.PP-1, 1e3*one), one.Times(float64(l.PP-1))
	form = "(PP−1) × S"
	what = fmt.Sprintf("S the time of one micro-batch on stage %d, the slowest", x.Slowest)
	switch {
	case l.Schedule == strategies.ZBH1:
		weight := one.Times(weightShare(p, x))
		form, what = "(PP−1) × (S − 2W)", what+", W its weight gradients"
		numbers, ideal = fmt.Sprintf("%d × (%.1f ms − 2 × %.1f ms)", l.PP-1, 1e3*one, 1e3*weight), max(0, one-2*weight).Times(float64(l.PP-1))
	case l.VPP > 1:
		form, numbers, ideal = "(PP−1)/VPP × S", fmt.Sprintf("%d/%d × %.1f ms", l.PP-1, l.VPP, 1e3*one), ideal.Times(1/float64(l.VPP))
	}
	return form, what, fmt.Sprintf("%s = %.3f s%s", numbers, ideal, unequal(x, ideal))
}

// unequal says by how much the table's bubble differs from that of equal stages.
func unequal(x *strategies.Explanation, ideal unit.Seconds) string {
	if math.Round(float64(1e3*x.Bubble)) == math.Round(float64(1e3*ideal)) {
		return ""
	}
	why := "the other stages take less time than the slowest"
	switch {
	case x.Layout.Schedule == strategies.ZBH1 && x.MicroBatches < x.Layout.PP:
		why = "so few micro-batches leave too few weight gradients to fill with"
	case x.Bubble > ideal:
		why = "unequal stages add waits to those of the schedule"
	case x.Bubble < 1e-3:
		why = fmt.Sprintf("stage %d takes so much longer than the others that it never waits for them", x.Slowest)
	}
	return fmt.Sprintf(" for equal stages; here %.3f s: %s", x.Bubble, why)
}

func bubbleSentence(x *strategies.Explanation) string {
	l := &x.Layout
	switch {
	case x.MicroBatches < l.PP:
		return fmt.Sprintf("%s cannot fill %d stages: a larger batch or fewer stages would.", plural(x.MicroBatches, "micro-batch"), l.PP)
	case l.Schedule == strategies.ZBH1:
		return fmt.Sprintf("Weight gradients fill a part of the drain: under 1F1B equal stages idle %d × %.1f ms = %.3f s.", l.PP-1, 1e3*slot(x), slot(x).Times(float64(l.PP-1)))
	case l.VPP > 1:
		return fmt.Sprintf("%d virtual stages a rank divide the fill and drain by %d.", l.VPP, l.VPP)
	}
	return fmt.Sprintf("Filling and draining %d equal stages costs %d of %d slots; virtual stages would divide it.", l.PP, l.PP-1, x.MicroBatches+l.PP-1)
}

// slot returns the time of one micro-batch on the slowest stage, both passes:
// what the estimate books a step, less what it books once.
func slot(x *strategies.Explanation) unit.Seconds {
	o := &x.Host
	each := x.Compute + x.ExposedTotal() + o.Layers + o.Batches + o.Exchanges + o.Retries + o.Copies
	for i := range x.Calls {
		c := &x.Calls[i]
		if c.Stage == x.Slowest && once(c, x.Layout.Zero) {
			each -= c.Exposed
		}
	}
	return each.Times(1 / float64(x.MicroBatches))
}

// once reports whether the step has a call outside of the passes of micro-batches:
// norms and other small calls, and below ZeRO-2 the gradients and parameters.
func once(c *collective.Call, zero int) bool {
	return c.Phase.InStep() && (c.Phase != collective.Forward && c.Phase != collective.Backward || c.Axis == collective.AxisDP && zero < 2)
}

// weightShare returns the weight gradients of a micro-batch on the slowest stage
// over its whole time, from the timeline of a step that just fills the pipeline.
func weightShare(p *strategies.Problem, x *strategies.Explanation) float64 {
	l, short := &x.Layout, *p
	short.Work.GlobalBatch = l.DP * l.MBS * min(x.MicroBatches, l.PP)
	var weight, all unit.Seconds
	for _, t := range short.Timeline(*l, x.Framework).Tasks {
		if int(t.Rank) != x.Slowest || t.Kind > timeline.Weight {
			continue
		}
		all += t.Dur
		if t.Kind == timeline.Weight {
			weight += t.Dur
		}
	}
	if all == 0 {
		return 0
	}
	return float64(weight / all)
}
