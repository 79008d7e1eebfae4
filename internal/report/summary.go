package report

import (
	"fmt"
	"strings"

	"planner/hardware"
	"planner/internal/show"
	"planner/strategies"
)

// Card is one figure of the report's head.
type Card struct{ Title, Value, Note string }

// heading says what the layout of the head is.
func heading(r *Review) string {
	if r.Layout != "" {
		return "Under review"
	}
	return "Recommended"
}

// question is the title of a report.
func question(r *Review) string {
	p := r.Answer.Problem
	return fmt.Sprintf("How should %s be laid out on %s %s?", title(p.Model.Title, p.Model.Name), show.Count(p.Cluster.GPUs), title(p.Cluster.GPU.Title, p.Cluster.GPU.Name))
}

// setting is the line under the title: workload and machine.
func setting(r *Review) string {
	p := r.Answer.Problem
	parts := []string{
		"sequence " + show.Count(p.Work.Seq),
		fmt.Sprintf("global batch %s (%.2f M tokens)", show.Count(p.Work.GlobalBatch), p.Work.Tokens()/1e6),
		p.Work.Precision.String(),
		fmt.Sprintf("%s %s × %d", show.Count(p.Cluster.Nodes()), plural(p.Cluster.Nodes(), "node", "nodes"), min(p.Cluster.PerNode, p.Cluster.GPUs)),
	}
	if p.Work.Forward {
		parts = append(parts, "forward pass only")
	}
	for i, t := range p.Cluster.Tiers {
		if i == 0 || networked(p.Cluster) {
			parts = append(parts, fmt.Sprintf("%s %s per GPU", linkTitle(t.Kind), rateTitle(&p.Cluster.Tiers[i]))+show.Scarce(&p.Cluster.Tiers[i]))
		}
	}
	return strings.Join(parts, " · ")
}

func rateTitle(t *hardware.Tier) string {
	if t.Kind.Network() {
		return fmt.Sprintf("%.4g Gb/s", t.Bandwidth.Gbps())
	}
	return t.Bandwidth.String()
}

// recommendation is the answer in a few sentences.
func recommendation(r *Review) []string {
	x := r.Pick
	out := []string{fmt.Sprintf("Run it on %s: %s, %d micro-batches of %d.", title(x.Framework.Title, x.Framework.Name), inWords(x), x.MicroBatches, x.Layout.MBS)}
	out = append(out, bottleneck(r))
	if n := len(r.Search.Ranking); r.Layout != "" && n > 0 {
		if gain := r.slower(&r.Search.Ranking[0]); gain < -strategies.Resolution {
			out = append(out, fmt.Sprintf("The search finds %s, %s %%.", r.Search.Ranking[0].Layout, signed(gain)))
		}
	}
	ties := 0
	var next *Alternative
	for i := range r.Alternatives {
		if a := &r.Alternatives[i]; a.Tie {
			ties++
		} else if next == nil && a.Slower > 0 {
			next = a
		}
	}
	if ties > 0 {
		out = append(out, fmt.Sprintf("%d %s with it, layouts that differ only in shard or VPP counted once: measure %s before you commit.", ties, plural(ties, "alternative ties", "alternatives tie"), plural(ties, "both", "them all")))
	}
	if next != nil {
		out = append(out, fmt.Sprintf("The first clearly slower one is %s on %s, %s %%.", next.Layout, next.Framework.Name, signed(next.Slower)))
	}
	if show.Marginal(r.Answer.Problem, &x.Estimate) {
		out = append(out, fmt.Sprintf("Memory is marginal: %.0f %% of what is usable.", 100*float64(x.Memory.Total()/r.Answer.Problem.Capacity())))
	}
	if !x.Fits {
		out = append(out, fmt.Sprintf("It does not fit: %.1f GiB short.", (x.Memory.Total()-r.Answer.Problem.Capacity()).GiB()))
	}
	return out
}

// inWords spells a layout out.
func inWords(x *strategies.Explanation) string {
	l := &x.Layout
	var parts []string
	add := func(n int, what string) {
		if n > 1 {
			parts = append(parts, fmt.Sprintf("%s %d", what, n))
		}
	}
	add(l.TP, "TP")
	if l.TP > 1 && l.SP {
		parts = append(parts, "SP")
	}
	add(l.CP, "CP")
	add(l.EP, "EP")
	add(l.PP, "PP")
	if l.PP > 1 {
		parts = append(parts, scheduleWords(l))
	}
	parts = append(parts, fmt.Sprintf("DP %d", l.DP))
	if l.Zero > 0 {
		z := fmt.Sprintf("ZeRO-%d", l.Zero)
		if l.Shard < l.DataRanks() {
			z += fmt.Sprintf(" over %d ranks", l.Shard)
		}
		parts = append(parts, z)
	}
	if l.Recompute != strategies.RecomputeNone {
		parts = append(parts, l.Recompute.String()+" recomputation")
	}
	return strings.Join(parts, ", ")
}

func scheduleWords(l *strategies.Layout) string {
	if l.Schedule == strategies.Interleaved {
		return fmt.Sprintf("interleaved 1F1B over %d chunks a rank", l.VPP)
	}
	return scheduleTitle(l)
}

// bottleneck names what bounds the step and the largest loss beside kernels.
func bottleneck(r *Review) string {
	s := fmt.Sprintf("It is bound by %s.", boundTitle(r.Pick.Bound()))
	var top *Loss
	for i := range r.Losses {
		if l := &r.Losses[i]; l.Class != "cmp2" && (top == nil || l.Points > top.Points) {
			top = l
		}
	}
	if top != nil {
		s += fmt.Sprintf(" The largest loss outside the kernels is %s, %.1f %% of the step: %s.", top.Name, 100*top.Points, top.Note)
	}
	return s
}

func boundTitle(b string) string {
	switch b {
	case "tp", "cp", "ep", "pp", "dp":
		return strings.ToUpper(b) + " communication"
	case "bubble":
		return "the pipeline's bubble"
	}
	return b
}

// cards are the four figures of the head.
func cards(r *Review) []Card {
	p, e := r.Answer.Problem, &r.Pick.Estimate
	rates := p.Rates(e)
	run := Card{tokens(r.Cost.Tokens) + " tokens", days(r.Cost.Days), show.Count(int64(r.Cost.GPUHours+0.5)) + " GPU-hours"}
	if r.Cost.Price > 0 {
		run.Note = fmt.Sprintf("%s at %s a GPU-hour", dollars(r.Cost.Dollars), dollars(r.Cost.Price))
	}
	if r.Cost.Energy > 0 {
		run.Note += ", " + energy(r.Cost.Energy) + " of GPUs"
	}
	return []Card{
		{"MFU", show.Percent(rates.MFU) + " %", mfuBand(e, rates.MFU)},
		{"step", seconds(float64(e.Step)) + " s", fmt.Sprintf("%s · %s tokens/s/GPU", stepBand(e), show.Count(int(rates.TokensPerSecondPerGPU+0.5)))},
		{"memory, fullest stage", fmt.Sprintf("%.1f GiB", e.Memory.Total().GiB()), fmt.Sprintf("%.0f %% of %.1f usable", 100*float64(e.Memory.Total()/p.Capacity()), p.Capacity().GiB())},
		run,
	}
}
