package verdict

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"planner/verify/rank"
)

// What a ranking must reach to hold: the issue of a planner is the order, and
// what following it costs.
const (
	leastTau   = 0.9
	mostRegret = 0.02
	// bandwidthOff and latencyOff are how far a term of the profile may be from
	// what messages of its own show. Links differ by some percent from their
	// data sheets, and one slow by a half changes orders; a hop of a collective
	// costs more than a lone message by what its ranks wait for each other.
	bandwidthOff = 1.4
	latencyOff   = 3
	// mostTies is the share of pairs under the noise above which the noise
	// decides too much of the order.
	mostTies = 0.5
	// mostReversal is by how much compute that nobody measured may differ from
	// its prediction without reversing an order.
	mostReversal = 1.1
	// mostUnknown is by how much a link that nobody measured may differ from its
	// profile: a profile wrong by 3 is what verification is there to catch.
	mostUnknown = 3
)

// Judge works out the statistics of a report and its verdict. It reads the
// layouts, calls and links, and what is assumed of the steps.
func (r *Report) Judge() {
	items := r.items()
	r.TauB = finite(rank.TauB(items))
	low, high := rank.Interval(items, r.Seed)
	r.TauLow, r.TauHigh = finite(low), finite(high)
	r.Regret, r.Error = rank.Regret(items), rank.Error(items)
	r.Ties, r.Pairs = rank.Ties(items)
	r.Reversal = r.reversal(items)
	r.Verdict = r.rule(items)
}

// finite returns x, or 0 where there was nothing to compare: JSON has no NaN.
func finite(x float64) float64 {
	if math.IsNaN(x) {
		return 0
	}
	return x
}

func (r *Report) items() []rank.Item {
	var out []rank.Item
	for _, l := range r.Layouts {
		out = append(out, rank.Item{Predicted: l.Predicted, Measured: l.Measured, Error: l.StdErr})
	}
	return out
}

// rule gives the verdict.
func (r *Report) rule(items []rank.Item) Ruling {
	fault := r.fault()
	switch {
	case len(r.Layouts) < 2:
		return Ruling{Status: Inconclusive, Sentence: "one layout has no order: give two --layout or more, or none"}
	case fault != nil:
		return Ruling{Status: DoesNotHold, Sentence: r.blame(fault), Term: fault.term}
	case r.Ties > int(mostTies*float64(r.Pairs)):
		return Ruling{Status: Inconclusive, Sentence: fmt.Sprintf("%d of %d pairs of layouts differ by less than the noise: what is missing is a quieter machine, more --rounds or slower links", r.Ties, r.Pairs)}
	case r.TauB < leastTau || r.Regret > mostRegret:
		return Ruling{Status: DoesNotHold, Sentence: r.worst()}
	}
	if missing := r.missing(items); missing != "" {
		return Ruling{Status: Inconclusive, Sentence: missing}
	}
	return Ruling{Status: Holds, Sentence: r.agreement(items)}
}

// missing says what would have to be measured for the order to be sure: it is
// judged again with each part that is assumed off either way: compute, and
// calls that go where none was measured. Ranks whose links are emulated compute
// as long as the plan says, by definition; a plan for other ranks assumes it.
func (r *Report) missing(items []rank.Item) string {
	if links(r.Emulate) != "" && r.GPUs == 0 {
		return ""
	}
	parts := []part{{"measured compute", mostReversal, func(l *Layout) float64 { return l.Compute }}}
	for _, nodes := range []int{1, 2} {
		where := whereOf(nodes)
		parts = append(parts, part{r.unmeasured(where), mostUnknown, func(l *Layout) float64 { return l.Unmeasured[where] }})
	}
	for _, p := range parts {
		for _, k := range []float64{p.off, 1 / p.off} {
			moved := slices.Clone(items)
			for i := range moved {
				moved[i].Measured += (k - 1) * p.of(&r.Layouts[i])
			}
			if tau, regret := finite(rank.TauB(moved)), rank.Regret(moved); tau < leastTau || regret > mostRegret {
				return fmt.Sprintf("what is assumed could reverse the order: what is missing is %s; at %.2f× its time tau-b is %.2f and regret %.1f %%", p.what, k, tau, 100*regret)
			}
		}
	}
	return ""
}

// part is what is assumed of the steps, and by what it may be wrong.
type part struct {
	what string
	off  float64
	of   func(*Layout) float64
}

// unmeasured names the call that is assumed most of those that go somewhere.
func (r *Report) unmeasured(where string) string {
	var worst *Call
	for i := range r.Calls {
		if c := &r.Calls[i]; strings.HasPrefix(c.How, "assumed") && whereOf(c.Nodes) == where && (worst == nil || c.Weight > worst.Weight) {
			worst = c
		}
	}
	if worst == nil {
		return "calls " + where
	}
	return fmt.Sprintf("%s over %s %s (%s)", worst.Op, worst.Axis, where, worst.How)
}

// agreement words an order that holds.
func (r *Report) agreement(items []rank.Item) string {
	right, apart := 0, 0
	for i, a := range items {
		for _, b := range items[:i] {
			if rank.Tied(a, b) {
				continue
			}
			apart++
			if (a.Predicted < b.Predicted) == (a.Measured < b.Measured) {
				right++
			}
		}
	}
	what := "where they can be told apart"
	if right < apart {
		what = fmt.Sprintf("for %d of the %d pairs that can be told apart", right, apart)
	}
	return fmt.Sprintf("the predicted order is the measured order %s (tau-b %.2f, regret %.1f %%)", what, r.TauB, 100*r.Regret)
}

// The terms of a profile.
const (
	termBandwidth = "bandwidth"
	termLatency   = "latency"
	termNICs      = "nics"
)

// worst words a ranking that fails without a wrong term: the layout that the
// model misjudges most against the others.
func (r *Report) worst() string {
	mean := 0.0
	for _, l := range r.Layouts {
		mean += math.Log(l.Predicted/l.Measured) / float64(len(r.Layouts))
	}
	at, off := 0, 0.0
	for i, l := range r.Layouts {
		if d := math.Abs(math.Log(l.Predicted/l.Measured) - mean); d > off {
			at, off = i, d
		}
	}
	l := &r.Layouts[at]
	return fmt.Sprintf("tau-b %.2f, regret %.1f %%: %s is predicted %+.0f %% against the others, in how %s overlaps or waits: the links are as the profile says",
		r.TauB, 100*r.Regret, l.Layout, 100*(math.Exp(math.Log(l.Predicted/l.Measured)-mean)-1), l.heaviest())
}

// heaviest names the axis that takes most of a layout's communication.
func (l *Layout) heaviest() string {
	name, most := "compute", 0.0
	for _, a := range l.Axes {
		if a.Measured > most {
			name, most = a.Axis, a.Measured
		}
	}
	return name
}

// reversal returns the factor on compute, nearest to 1, at which two layouts
// that can be told apart would change places, 0 where none does: steps grow by
// (k−1) of their compute.
func (r *Report) reversal(items []rank.Item) float64 {
	best := 0.0
	for i, a := range r.Layouts {
		for k, b := range r.Layouts[:i] {
			if rank.Tied(items[i], items[k]) || a.Compute == b.Compute {
				continue
			}
			f := 1 + (b.Measured-a.Measured)/(a.Compute-b.Compute)
			if f > 0 && (best == 0 || math.Abs(math.Log(f)) < math.Abs(math.Log(best))) {
				best = f
			}
		}
	}
	return best
}

// rate and span print a rate and a time for people.
func rate(bytesPerSecond float64) string {
	if bytesPerSecond >= 1e9 {
		return fmt.Sprintf("%.3g GB/s", bytesPerSecond/1e9)
	}
	return fmt.Sprintf("%.3g MB/s", bytesPerSecond/1e6)
}

func span(seconds float64) string {
	if seconds >= 1e-3 {
		return fmt.Sprintf("%.3g ms", seconds*1e3)
	}
	return fmt.Sprintf("%.3g µs", seconds*1e6)
}
