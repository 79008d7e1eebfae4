package state

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"planner/internal/show"
	"planner/strategies"
)

// why says in words what a row gains and loses against the best: the terms
// that differ most, and where the groups behind them sit.
func (s *State) why(r *Row) []string {
	best, name := s.Overall, "the best"
	if s.Pin != nil && s.Pin.Question == s.Answer.Question {
		best, name = &s.Pin.Estimate, "the pinned layout"
	}
	if best == nil {
		return nil
	}
	if s.Filter.Text != "" && s.Pin == nil {
		name = "the best of all"
	}
	if short := (r.Estimate.Memory.Total() - s.Answer.Problem.Capacity()).GiB(); r.Rank == 0 && short > 0 {
		return []string{fmt.Sprintf("does not fit: %.1f GiB short in stage %d (%s)", short, r.Estimate.Fullest, largest(&r.Estimate.Memory))}
	}
	if best.Layout == r.Estimate.Layout {
		return s.tied(r)
	}
	return Against(s.Answer.Problem, r.Estimate, best, name)
}

// tied says with how many rows the best shares its group.
func (s *State) tied(r *Row) []string {
	n := 0
	for i := range s.Rows {
		if s.Rows[i].Tie == r.Tie && s.Rows[i].Rank > 0 {
			n++
		}
	}
	if n > 1 && r.Rank > 0 {
		return []string{fmt.Sprintf("tie %s: %d rows cannot be told apart (%.1f %%): choose among them by memory, or measure them", tie(r), n, 100*strategies.Resolution)}
	}
	return []string{"the fastest of the table"}
}

// Against explains the difference of two estimates: the terms that move it
// most, and the reason of the largest.
func Against(p *strategies.Problem, e, best *strategies.Estimate, name string) []string {
	a, b := Parts(e), Parts(best)
	type move struct {
		Part
		by float64
	}
	var moves []move
	for i := range a {
		moves = append(moves, move{a[i], a[i].Seconds - b[i].Seconds})
	}
	slices.SortStableFunc(moves, func(x, y move) int { return signOf(math.Abs(y.by) - math.Abs(x.by)) })
	total := float64(e.Step - best.Step)
	var terms []string
	for _, m := range moves[:4] {
		if math.Abs(m.by) > 0.001*float64(best.Step) {
			terms = append(terms, fmt.Sprintf("%s %+.2f s", m.Name, m.by))
		}
	}
	word := "slower"
	if total < 0 {
		word = "faster"
	}
	out := []string{fmt.Sprintf("%.1f %% %s than %s: %s", 100*math.Abs(total)/float64(best.Step), word, name, strings.Join(terms, ", "))}
	for _, m := range moves {
		if m.by*total > 0 {
			if c := causeOf(p, e, best, m.Name, m.by > 0); c != "" {
				out = append(out, c)
			}
			break
		}
	}
	return out
}

// causeOf gives the reason for which a term is larger, or smaller.
func causeOf(p *strategies.Problem, e, best *strategies.Estimate, term string, more bool) string {
	l, m := &e.Layout, &best.Layout
	if !more {
		l, m = m, l
	}
	switch term {
	case "compute":
		return computeCause(l, m)
	case "bubble":
		return fmt.Sprintf("bubble: %d stages, %d virtual, over %d micro-batches, against %d, %d and %d", l.PP, l.VPP, micro(p, l), m.PP, m.VPP, micro(p, m))
	case "TP":
		return groupCause(p, "TP", l.TP, 1, m.TP, "every layer's calls")
	case "CP":
		return groupCause(p, "CP", l.CP, l.TP, m.CP, "keys and values")
	case "EP":
		return groupCause(p, "EP", l.EP, 1, m.EP, "every routed token")
	case "DP":
		if l.Zero == 3 && m.Zero < 3 {
			return "DP: ZeRO-3 gathers every layer's parameters for every micro-batch"
		}
		if l.DataRanks() == m.DataRanks() && micro(p, l) == micro(p, m) {
			return fmt.Sprintf("DP: ZeRO-%d over %d of %d data ranks, against ZeRO-%d over %d", l.Zero, l.Shard, l.DataRanks(), m.Zero, m.Shard)
		}
		return fmt.Sprintf("DP: gradients over %d ranks with %d micro-batches to hide behind, against %d with %d", l.DataRanks(), micro(p, l), m.DataRanks(), micro(p, m))
	case "PP":
		return fmt.Sprintf("PP: %d hops a micro-batch (pp·vpp), against %d", l.PP*l.VPP, m.PP*m.VPP)
	case "overhead":
		return fmt.Sprintf("overhead: launches of %d micro-batches of %d, against %d of %d", micro(p, l), l.MBS, micro(p, m), m.MBS)
	}
	return ""
}

func computeCause(l, m *strategies.Layout) string {
	switch {
	case l.Recompute > m.Recompute:
		return fmt.Sprintf("compute: recompute=%s runs part of the forward pass twice", l.Recompute)
	case l.TP*l.CP > m.TP*m.CP:
		return fmt.Sprintf("compute: tp·cp=%d makes each GEMM smaller than tp·cp=%d does, and small GEMMs run further below peak", l.TP*l.CP, m.TP*m.CP)
	case l.PP > m.PP:
		return fmt.Sprintf("compute: the LM head weighs more on a stage of pp=%d than of pp=%d", l.PP, m.PP)
	}
	return ""
}

// groupCause says where a group sits, and that it leaves the node if it does.
func groupCause(p *strategies.Problem, axis string, size, stride, was int, what string) string {
	span := p.Cluster.Span(stride, size)
	if span.Domains > 1 {
		return fmt.Sprintf("%s: a group of %d spans %d nodes of %d, so %s cross the network (%s) instead of %s", axis, size, span.Domains, p.Cluster.PerNode,
			what, p.Cluster.Tiers[span.Tier].Kind, p.Cluster.Tiers[p.Cluster.ScaleUp].Kind)
	}
	return fmt.Sprintf("%s: %s move over %d ranks instead of %d", axis, what, size, was)
}

func micro(p *strategies.Problem, l *strategies.Layout) int {
	return p.Work.GlobalBatch / (l.DP * l.MBS)
}

// largest names the largest component of a memory.
func largest(m *strategies.Memory) string {
	name, most := "activations", m.Activations
	for _, c := range show.Components(m) {
		if c.Bytes > most {
			name, most = c.Name, c.Bytes
		}
	}
	return fmt.Sprintf("%s %.1f GiB", name, most.GiB())
}

func signOf(v float64) int {
	switch {
	case v < 0:
		return -1
	case v > 0:
		return 1
	}
	return 0
}
