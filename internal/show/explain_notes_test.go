package show

import (
	"slices"
	"strings"
	"testing"

	"planner/internal/ask"
)

// DeepSpeed's estimator counts gradients and optimizer state of all parameters
// (deepspeed/runtime/zero/stage3.py): of a pass or a share without them it is
// no lower bound, and is not told.
func TestEstimatorNote(t *testing.T) {
	for _, c := range []struct {
		pass      string
		trainable float64
		want      bool
	}{{"", 0, true}, {"train", 1, true}, {"forward", 0, false}, {"train", 0.01, false}} {
		a := answer(t, ask.Question{Model: "8b", GPUs: 64, Framework: "deepspeed", Pass: c.pass, Trainable: c.trainable})
		l, f, err := a.Layout("zero=3")
		if err != nil {
			t.Fatal(err)
		}
		notes := remarks(a, a.Explain(l, f))
		if got := slices.ContainsFunc(notes, func(n string) bool { return strings.Contains(n, "own estimator") }); got != c.want {
			t.Errorf("pass %q, trainable %g: told %v, want %v", c.pass, c.trainable, got, c.want)
		}
	}
}
