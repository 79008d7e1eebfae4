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

// torchtitan's trainer never reads context_parallel_rotate_method
// (components/validate.py of v0.2.2 alone does), and Megatron's MoE layer raises
// in training without sequence parallelism (transformer/moe/moe_layer.py).
func TestUnrunWarnings(t *testing.T) {
	for _, c := range []struct{ model, framework, layout, want string }{
		{"8b", "torchtitan", "cp=4,zero=3", "cpkind=allgather"},
		{"8b", "torchtitan", "cp=4,zero=3,cpkind=allgather", ""},
		{"8b", "megatron", "cp=4,zero=1", ""},
		{"mixtral-8x7b", "megatron", "tp=2,ep=4,zero=1,sp=false", "stops a training step"},
	} {
		a, x := explained(t, ask.Question{Model: c.model, GPUs: 64, Framework: c.framework}, c.layout)
		got := strings.Join(ExplainWarnings(a, x), "; ")
		if c.want != "" && !strings.Contains(got, c.want) || c.want == "" && strings.Contains(got, "trainer") {
			t.Errorf("%s %s: %q, want %q", c.framework, c.layout, got, c.want)
		}
	}
}
