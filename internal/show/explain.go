package show

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"planner/costmodel/collective"
	"planner/hardware/unit"
	"planner/internal/ask"
	"planner/strategies"
)

// Explain writes one layout in full: the step as formula, numbers and
// sentence, the calls, the memory, the groups and the diagnosis.
func Explain(w io.Writer, a *ask.Answer, x *strategies.Explanation, stage string) error {
	calls, err := CallsOf(x, stage)
	if err != nil {
		return err
	}
	Header(w, a)
	p := a.Problem
	fmt.Fprintf(w, "layout %s · %s · %s of %d: %.1f of %.1f GiB\n\n", x.Layout, x.Framework.Name, plural(x.MicroBatches, "micro-batch"), x.Layout.MBS,
		x.Memory.Total().GiB(), p.Capacity().GiB())
	stepSection(w, p, x)
	why(w, p, x)
	fmt.Fprintf(w, "\nCALLS  one rank of stage %s, one step · M and wire bytes as nccl-tests · total and exposed in ms\n", stageTitle(x, stage))
	Calls(w, "table", calls)
	if note := FittedNote(calls); note != "" {
		fmt.Fprintln(w, "  "+note)
	}
	onceNote(w, x)
	memorySection(w, p, x)
	groupSection(w, p, x)
	diagnosisSection(w, p, x)
	return nil
}

func stageTitle(x *strategies.Explanation, stage string) string {
	if stage == "slowest" {
		return fmt.Sprintf("%d (the slowest)", x.Slowest)
	}
	return stage
}

var stepNotes = map[string]string{
	"compute":   "GEMMs, attention, norms, logits on the slowest stage, recomputation included",
	"bubble":    "idle time of the schedule and of unequal stages",
	"tp":        "calls of tensor and sequence parallelism that nothing hides",
	"cp":        "keys and values that attention waits for",
	"ep":        "dispatch and combine of tokens",
	"pp":        "waiting for hops between stages",
	"dp":        "gradients and parameters that compute cannot hide",
	"other":     "norms, losses and other small calls",
	"optimizer": "Adam on the parameters this rank updates",
	"overhead":  "launches, data, logging, stragglers: fitted",
}

func stepSection(w io.Writer, p *strategies.Problem, x *strategies.Explanation) {
	r := p.Rates(&x.Estimate)
	band := ""
	if x.High > x.Low {
		band = fmt.Sprintf("  (80 %%: %.2f … %.2f)", x.Low, x.High)
	}
	fmt.Fprintf(w, "STEP  %.3f s%s     MFU %s %%%s     %s tokens/s/GPU     bound: %s\n", x.Step, band, Percent(r.MFU), causalText(r),
		Count(int(r.TokensPerSecondPerGPU+0.5)), x.Bound())
	parts := StepParts(&x.Estimate)
	slices.SortStableFunc(parts, func(a, b StepPart) int { return cmp.Compare(b.Seconds, a.Seconds) })
	for _, s := range parts {
		share := s.Seconds / float64(x.Step)
		if share < 5e-5 {
			continue
		}
		name, key := s.Component, strings.TrimPrefix(s.Component, "exposed_")
		if key != s.Component {
			name = "exposed " + strings.ToUpper(key)
			if key == "other" {
				name = "exposed other"
			}
		}
		bar := strings.Repeat("█", int(math.Round(share*30)))
		fmt.Fprintf(w, "  %-14s %9.3f s %5.1f %%  %-30s %s\n", name, s.Seconds, 100*share, bar, stepNotes[key])
	}
	fmt.Fprintf(w, "  %-14s %9.3f s %5.1f %%\n", "sum", x.Step, 100.0)
}

// why writes the largest terms as formula, numbers and sentence.
func why(w io.Writer, p *strategies.Problem, x *strategies.Explanation) {
	fmt.Fprintln(w, "\nWHY")
	utilisation(w, p, x)
	fmt.Fprintf(w, "  compute    = micro-batches × kernel time of one micro-batch on the slowest stage\n")
	fmt.Fprintf(w, "             = %d × %.1f ms = %.3f s\n", x.MicroBatches, 1e3*float64(x.Compute)/float64(x.MicroBatches), x.Compute)
	fmt.Fprintf(w, "             %s\n", computeSentence(p, x))
	if x.Layout.PP > 1 {
		bubble(w, p, x)
	}
	for axis, t := range x.Exposed {
		if float64(t) > 0.002*float64(x.Step) {
			exposed(w, x, collective.Axis(axis))
		}
	}
	overhead(w, p, x)
}

func computeSentence(p *strategies.Problem, x *strategies.Explanation) string {
	l := &x.Layout
	switch {
	case l.Recompute == strategies.RecomputeFull:
		return "Full recomputation runs the forward pass twice: a third more work, for memory."
	case l.PP > 1 && x.Slowest == l.PP-1:
		return fmt.Sprintf("Stage %d is slowest: the LM head and the loss come on top of its %d layers; first and last can even them out.", x.Slowest, x.Layers[x.Slowest])
	case l.PP > 1:
		return fmt.Sprintf("Stage %d with %d layers is slowest.", x.Slowest, x.Layers[x.Slowest])
	}
	return "One stage holds every layer, so nothing waits for another."
}

// exposed explains one axis by its most expensive call.
func exposed(w io.Writer, x *strategies.Explanation, axis collective.Axis) {
	var top *collective.Call
	n, total := 0.0, unit.Seconds(0)
	for i := range x.Calls {
		c := &x.Calls[i]
		if c.Axis != axis || c.Stage != x.Slowest || !c.Phase.InStep() {
			continue
		}
		if c.Exposed == 0 && (c.Op == collective.Send || c.Op == collective.Recv) {
			continue // the other half of a pair, which shares its time
		}
		n += c.Count
		total += c.Total()
		if top == nil || c.Exposed > top.Exposed {
			top = c
		}
	}
	if top == nil {
		return
	}
	name := axis.String()
	if axis != collective.AxisOther {
		name = strings.ToUpper(name)
	}
	fmt.Fprintf(w, "  exposed %-3s= Σ %s, less what runs beside other work\n", name, CallFormula)
	fmt.Fprintf(w, "             = %s, %.3f s alone, %.3f s exposed\n", plural(int(n+0.5), "call"), total, x.Exposed[axis])
	fmt.Fprintf(w, "             Most: %s %q over %s of %d by %s; %s\n", top.Op, top.Purpose, strings.Join(top.Dims.Names(), "+"), top.Span.Size, top.Algorithm, moved(top))
	fmt.Fprintf(w, "             %s = %.3f s. %s.\n", CallNumbers(top), top.Total(), BesideSentence(x, top))
}

// moved says what a call moves: a receive sends nothing, its link is busy.
func moved(c *collective.Call) string {
	if c.Op == collective.Recv {
		return "M = " + c.LinkBytes.Decimal()
	}
	return fmt.Sprintf("wire = %s = %s", WireFormula(c), c.Wire().Decimal())
}
