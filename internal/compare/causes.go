package compare

import (
	"fmt"

	"planner/strategies"
)

// callSettings are those that the time of calls hangs on, at the same layout.
var callSettings = []*setting{&byHardware, &byModel, &byPass, &byTokens, &byNetwork}

// cause says what in the layouts or the questions makes a term larger (up) or
// smaller on the second side.
func cause(term string, a, b *Side, up bool) string {
	x, y := &a.Layout, &b.Layout
	switch term {
	case "compute":
		return computeCause(a, b, up)
	case "bubble":
		return bubbleCause(a, b, up)
	case "exposed TP":
		return differ("tp", x.TP, y.TP, fmt.Sprintf("%s of a buffer of %s, not %s of %s", ring(y.TP), tokens(b), ring(x.TP), tokens(a)))
	case "exposed CP":
		return differ("cp", x.CP, y.CP, "keys and values go round the ranks of cp")
	case "exposed EP":
		if x.EP == y.EP {
			text, _ := reasons([]*setting{&byLoad}, a, b, up)
			return text
		}
		return differ("ep", x.EP, y.EP, "every token is sent to its experts and back")
	case "exposed PP":
		return differ("pipeline", x.PP*x.VPP, y.PP*y.VPP, fmt.Sprintf("%d hops a micro-batch, not %d", y.PP*y.VPP-1, x.PP*x.VPP-1))
	case "exposed DP":
		return dataCause(a, b, up)
	case "optimizer":
		text, _ := reasons([]*setting{&byHardware, &byPass, &byTrained}, a, b, up)
		return text
	case "memory":
		return memoryCause(a, b)
	}
	return ""
}

// ring is the share (n−1)/n of a buffer that a ring moves.
func ring(n int) string {
	if n == 1 {
		return "nothing"
	}
	return fmt.Sprintf("%d/%d", n-1, n)
}

// tokens are those of one micro-batch on one context-parallel rank.
func tokens(s *Side) string {
	return fmt.Sprintf("%d tokens", s.Layout.MBS*s.Question.SeqLen/s.Layout.CP)
}

func differ(key string, x, y int, why string) string {
	switch {
	case x == y:
		return ""
	case y == 1:
		return "B has no " + key
	case x == 1:
		return "A has no " + key
	}
	return why
}

// computeCause names what was asked otherwise, else the degree that makes the
// side that takes longer do so: smaller GEMMs, or more recomputation.
func computeCause(a, b *Side, up bool) string {
	x, y := &a.Layout, &b.Layout
	out, _ := reasons(workSettings(a, b), a, b, up)
	switch more := againLayers(b) > againLayers(a); {
	case recomputation(x) != recomputation(y) && more == up:
		out = join(out, fmt.Sprintf("recomputation %s, not %s", recomputation(y), recomputation(x)))
	case out != "":
	case x.TP != y.TP && y.TP > x.TP == up:
		out = fmt.Sprintf("GEMMs are cut in %d, not %d", y.TP, x.TP)
	case x.MBS != y.MBS && y.MBS < x.MBS == up:
		out = fmt.Sprintf("GEMMs of %d sequences, not %d", y.MBS, x.MBS)
	case a.Framework != b.Framework:
		out = not(b.Framework, a.Framework)
	}
	return out
}

// againLayers is the share of the forward pass that runs again; selective
// recomputation counts as little of it.
func againLayers(s *Side) float64 {
	switch s.Layout.Recompute {
	case strategies.RecomputeFull:
		return s.recomputedLayers()
	case strategies.RecomputeSelective:
		return 0.05
	}
	return 0
}

func join(a, b string) string {
	if a == "" {
		return b
	}
	return a + "; " + b
}

func bubbleCause(a, b *Side, up bool) string {
	x, y := &a.Layout, &b.Layout
	switch {
	case y.PP == 1:
		return "B has no pipeline"
	case x.PP == 1:
		return "A has no pipeline"
	case x.PP == y.PP && x.VPP == y.VPP && x.Schedule != y.Schedule:
		return fmt.Sprintf("schedule %s, not %s", y.Schedule, x.Schedule)
	case x.PP == y.PP && x.VPP == y.VPP && a.Predicted.MicroBatches == b.Predicted.MicroBatches:
		if up {
			return "the same idle slots, each longer"
		}
		return "the same idle slots, each shorter"
	}
	if x.Schedule == strategies.ZBH1 || y.Schedule == strategies.ZBH1 {
		return fmt.Sprintf("%s of %d stages over %d micro-batches, not %s of %d over %d", y.Schedule, y.PP, b.Predicted.MicroBatches, x.Schedule, x.PP, a.Predicted.MicroBatches)
	}
	return fmt.Sprintf("(PP−1)/VPP over %d micro-batches: %d/%d of %d, not %d/%d of %d", b.Predicted.MicroBatches,
		y.PP-1, y.VPP, b.Predicted.MicroBatches, x.PP-1, x.VPP, a.Predicted.MicroBatches)
}

// dataCause says what makes the calls of data parallelism more or fewer.
func dataCause(a, b *Side, up bool) string {
	x, y := &a.Layout, &b.Layout
	if text, _ := reasons([]*setting{&byPass, &byTrained}, a, b, up); text != "" {
		return text
	}
	switch {
	case x.Zero != 3 && y.Zero == 3 && up:
		return "ZeRO-3 gathers every layer for every micro-batch"
	case x.Zero == 3 && y.Zero != 3 && !up:
		return "no ZeRO-3 gathers"
	case x.Shard != y.Shard && x.Zero > 0 && y.Zero > 0 && y.Shard > x.Shard == up:
		return fmt.Sprintf("split over %d ranks, not %d", y.Shard, x.Shard)
	case x.DP != y.DP && y.DP > x.DP == up:
		return fmt.Sprintf("%d replicas, not %d", y.DP, x.DP)
	case x.Zero != y.Zero && y.Zero > x.Zero == up:
		return fmt.Sprintf("ZeRO-%d, not %d", y.Zero, x.Zero)
	}
	return ""
}
