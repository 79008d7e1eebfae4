package verdict

import (
	"fmt"
	"io"
	"math"
	"strings"

	"planner/internal/show"
)

func (r *Report) head(w io.Writer) {
	line := func(name, format string, args ...any) {
		fmt.Fprintf(w, "%-10s %s\n", name, fmt.Sprintf(format, args...))
	}
	if r.GPUs > 0 {
		line("plan", "%s × %s", show.Count(r.GPUs), r.Cluster)
	}
	line(r.clusterWord(), "%s", r.cluster())
	if m := r.Machine; m != nil {
		line("machine", "%d cores · copies %s, reduces %s of f32 a core", m.Cores, rate(m.Copy), rate(m.Reduce))
	}
	line("profile", "%s", r.profile())
	line("model", "%s · sequence %d · global batch %d", r.Model, r.SeqLen, r.Batch)
	line("layouts", "%s · %d interleaved rounds%s · %.0f s", r.compared(), r.Rounds, r.again(), r.Seconds)
	of := "of the measured steps: calls and waits %.0f %% measured · %.0f %% scaled · compute %.0f %% delays of the predicted length (assumed)"
	if r.GPUs > 0 {
		of = "of the steps: calls %.1f %% measured in full · %.1f %% scaled from smaller groups or fewer bytes · %.1f %% assumed (compute, bubble, and calls that say so)"
	}
	line("shares", of, 100*r.Shares.Measured, 100*r.Shares.Scaled, 100*r.Shares.Assumed)
	fmt.Fprintln(w)
}

// again says what was run a second time.
func (r *Report) again() string {
	text := ""
	if r.Redone > 0 {
		text = fmt.Sprintf(" (%d repeated: the machine had slowed)", r.Redone)
	}
	if r.Repeated > 0 {
		text += fmt.Sprintf(" (%d steps repeated: they were disturbed)", r.Repeated)
	}
	return text
}

// compared says which layouts the verdict is about: a spread tells good from bad
// ones, and little of the order at the top.
func (r *Report) compared() string {
	n := len(r.Layouts)
	if n < 2 {
		return "one"
	}
	fastest, slowest := math.Inf(1), 0.0
	for _, l := range r.Layouts {
		fastest, slowest = min(fastest, l.Predicted), max(slowest, l.Predicted)
	}
	switch k := slowest / fastest; r.Choice {
	case ChoiceSpread:
		return fmt.Sprintf("%d, spread from the fastest predicted to %.1f × its time (the best %d alone: --best)", n, k, n)
	case ChoiceBest:
		return fmt.Sprintf("the best %d, the last predicted %.2f × the time of the first", n, k)
	case ChoiceGiven:
		return fmt.Sprintf("%d as given, the slowest predicted %.1f × the time of the fastest", n, k)
	default: // saved by a version that did not say
		return fmt.Sprintf("%d, the slowest predicted %.1f × the time of the fastest", n, k)
	}
}

// profile says where the plan's links come from.
func (r *Report) profile() string {
	switch {
	case r.Machine != nil:
		return "this machine's links, measured before planning"
	case r.Profile != "":
		return r.Profile
	}
	return fmt.Sprintf("the emulated links, each term off by up to %.0f %% (seed %d)", 100*perturbation, r.Seed)
}

func (r *Report) clusterWord() string {
	if r.GPUs > 0 {
		return "run on"
	}
	return "cluster"
}

// cluster says what was run on.
func (r *Report) cluster() string {
	where := r.Where
	if where == "" {
		where = "goroutines of this machine"
	}
	if r.RealTime {
		where += " · real-time priority"
	}
	ranks := fmt.Sprintf("%d nodes × %d ranks", r.Nodes, r.Ranks/r.Nodes)
	switch l := links(r.Emulate); {
	case r.Slow > 1:
		how := fmt.Sprintf("the plan's links, each term off by up to %.0f %% (seed %d)", 100*perturbation, r.Seed)
		if l != "" {
			how = l
		}
		return fmt.Sprintf("%s · %s, in slow motion (%.3g ×) · %s", ranks, how, r.Slow, where)
	case l != "":
		return fmt.Sprintf("emulated %s · %s · %s", ranks, l, where)
	case r.Nodes == 1 && r.Machine != nil:
		return fmt.Sprintf("%d ranks · the machine's own memory · %s", r.Ranks, where)
	}
	return fmt.Sprintf("%s · %s", ranks, where)
}

// links is the part of a shape after the colon.
func links(shape string) string {
	_, rest, _ := strings.Cut(shape, ":")
	return strings.ReplaceAll(rest, ",", " · ")
}
