package compare

import (
	"fmt"
	"math"
	"strings"

	"planner/costmodel/kernel"
	"planner/internal/plan"
	"planner/internal/show"
)

// Settings says in words what of a plan's question is not the default.
func Settings(q *plan.Question) []string {
	x := (&plan.Plan{Question: *q}).Asked()
	s := append(show.WorkSettings(&x), show.ClusterSettings(&x)...)
	if only := x.Limits.Words(); only != nil {
		s = append(s, "only "+strings.Join(only, ", "))
	}
	return s
}

// Line writes what a plan's question asked: model, cluster, workload, and the
// settings that are not the default.
func Line(q *plan.Question) string {
	s := fmt.Sprintf("%s on %s × %s · sequence %s · global batch %s · %s", q.Model, show.Count(q.GPUs), q.Hardware,
		show.Count(q.SeqLen), show.Count(q.GlobalBatch), q.Precision)
	return strings.Join(append([]string{s}, Settings(q)...), " · ")
}

// setting is one thing of a question that work or memory grows with.
type setting struct {
	// size is what grows, up to a constant; nil where either value may be the
	// larger.
	size func(q *plan.Question) float64
	word func(q *plan.Question) string // a value, as a reason names it
	say  string                        // the reason, where naming values says less
}

var (
	byHardware  = setting{word: func(q *plan.Question) string { return q.Hardware }}
	byModel     = setting{word: func(q *plan.Question) string { return q.Model }, say: "another model"}
	byPrecision = setting{word: func(q *plan.Question) string { return "precision " + q.Precision }}
	byAttention = setting{word: attentionWord}
	byScores    = setting{size: scores, word: attentionWord}
	byPass      = setting{size: passSize, word: passWord}
	byTrained   = setting{size: share, word: func(q *plan.Question) string { return show.Trained(q.Trainable) }}
	byLoad      = setting{size: load, word: loadWord}
	byLength    = setting{size: func(q *plan.Question) float64 { return float64(q.SeqLen) }, word: func(q *plan.Question) string { return fmt.Sprintf("sequences of %d", q.SeqLen) }}
	byBatch     = setting{size: func(q *plan.Question) float64 { return float64(q.GlobalBatch) }, word: func(q *plan.Question) string { return fmt.Sprintf("global batch %d", q.GlobalBatch) }}
	byTokens    = setting{size: tokensOf, word: func(q *plan.Question) string { return show.Count(int(tokensOf(q))) + " tokens a step" }}
	byNetwork   = setting{word: networkWord, say: "other nodes or network"}
	byGPUs      = setting{size: func(q *plan.Question) float64 { return 1 / float64(max(1, q.GPUs)) }, word: func(q *plan.Question) string { return fmt.Sprintf("%d GPUs", q.GPUs) }}
)

func tokensOf(q *plan.Question) float64 { return float64(q.SeqLen) * float64(q.GlobalBatch) }

func networkWord(q *plan.Question) string {
	x := (&plan.Plan{Question: *q}).Asked()
	return strings.Join(show.ClusterSettings(&x), " ")
}

// workSettings are those that the work of a step grows with: the batch counts
// in tokens where sequences differ, as one often pays for the other.
func workSettings(a, b *Side) []*setting {
	batch := &byBatch
	if a.Question.SeqLen != b.Question.SeqLen {
		batch = &byTokens
	}
	return []*setting{&byHardware, &byModel, &byPrecision, &byPass, &byTrained, &byAttention, &byLoad, &byLength, batch, &byGPUs}
}

func attentionWord(q *plan.Question) string {
	if q.Attention == "" || q.Attention == "usual" {
		return "the usual attention"
	}
	return "attention " + q.Attention
}

// scores are kept for the backward pass by kernels that are not fused.
func scores(q *plan.Question) float64 {
	if k, ok := kernel.ParseAttentionKernel(q.Attention); ok && !k.Fused() {
		return 2
	}
	return 1
}

// A forward pass is a third of the FLOPs of training (Kaplan et al. 2020), and
// holds neither gradients nor optimizer state.
func passSize(q *plan.Question) float64 {
	if q.Pass == "forward" {
		return 1
	}
	return 3
}

func passWord(q *plan.Question) string {
	if q.Pass == "forward" {
		return "forward only"
	}
	return "training"
}

// share of the parameters that is trained; 0 is all.
func share(q *plan.Question) float64 {
	if q.Trainable == 0 {
		return 1
	}
	return q.Trainable
}

// load of the busiest expert rank: experts of a capacity are padded to it.
func load(q *plan.Question) float64 {
	if q.Capacity > 0 {
		return q.Capacity
	}
	return max(1, q.Imbalance)
}

func loadWord(q *plan.Question) string {
	switch {
	case q.Capacity > 0:
		return fmt.Sprintf("capacity factor %g", q.Capacity)
	case q.Imbalance > 1:
		return fmt.Sprintf("imbalance %g", q.Imbalance)
	}
	return "an even load of the experts"
}

// grows returns how many times more the second side does of it, and whether
// the sides differ in it; 0 where which is more is not known.
func (s *setting) grows(a, b *Side) (ratio float64, differs bool) {
	x, y := &a.Question, &b.Question
	if s.word(x) == s.word(y) {
		return 1, false
	}
	if s.size == nil {
		return 0, true
	}
	return s.size(y) / s.size(x), true
}

// reason returns what the setting says of a term that goes up or down from a
// to b; "" where the sides agree in it, or it would move the term the other way.
func (s *setting) reason(a, b *Side, up bool) string {
	ratio, differs := s.grows(a, b)
	switch {
	case !differs || ratio > 0 && ratio != 1 && ratio > 1 != up || ratio == 1:
		return ""
	case s.say != "":
		return s.say
	}
	return not(s.word(&b.Question), s.word(&a.Question))
}

// not writes "attention flash3, not unfused" and "128 GPUs, not 64": what both
// begin or end with once.
func not(this, that string) string {
	x, y := strings.Fields(this), strings.Fields(that)
	for len(x) > 1 && len(y) > 1 && x[0] == y[0] {
		x, y = x[1:], y[1:]
	}
	for len(x) > 1 && len(y) > 1 && x[len(x)-1] == y[len(y)-1] && y[len(y)-1] != "%" {
		x, y = x[:len(x)-1], y[:len(y)-1]
	}
	return this + ", not " + strings.Join(y, " ")
}

// reasons joins what the settings say of a term, with the factor by which
// those move it whose way is known.
func reasons(list []*setting, a, b *Side, up bool) (text string, factor float64) {
	var out []string
	factor = 1
	for _, s := range list {
		r := s.reason(a, b, up)
		if r == "" {
			continue
		}
		out = append(out, r)
		if ratio, _ := s.grows(a, b); ratio > 0 {
			factor *= math.Max(ratio, 1/ratio)
		}
	}
	return strings.Join(out, "; "), factor
}
