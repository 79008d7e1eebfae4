package strategies_test

import (
	"fmt"
	"strings"
	"testing"

	"planner/internal/ask"
	"planner/internal/catalog"
	"planner/internal/show"
	"planner/strategies"
)

// said returns what explain notes of a layout.
func said(t *testing.T, p *strategies.Problem, layout string) string {
	t.Helper()
	l, err := strategies.ParseLayout(layout)
	if err != nil {
		t.Fatal(err)
	}
	l, v := l.Complete(p.Cluster.GPUs)
	if v == nil {
		v = p.Check(&l, p.Profiles[0])
	}
	if v != nil {
		t.Fatal(v)
	}
	return strings.Join(show.ExplainWarnings(&ask.Answer{Problem: p}, p.Explain(l, p.Profiles[0])), "; ")
}

// What DeepSpeed's estimator prints is shown beside the whole prediction.
func TestCase003Said(t *testing.T) {
	c := loadCase(t, "003-zero-estimator-7b-4gpu")
	// 6805 M parameters, of which an embedding of 131 M is the largest module.
	m := shaped(t, catalog.Shape{Layers: 32, Hidden: 4096, Heads: 32, FFN: 11177, Vocab: 32000})
	p := problemOf(t, m, "deepspeed", 4, 4)
	for i, offload := range []string{"", ",offload=optimizer", ",offload=optimizer+param"} {
		want := fmt.Sprintf("prints %.2f GiB", numbers(t, c.Expect["state_gib"])[i])
		if got := said(t, p, "zero=3"+offload); !strings.Contains(got, want) || !strings.Contains(got, "a lower bound, to which activations, logits and buffers add") {
			t.Errorf("%q does not say %q", got, want)
		}
	}
}

// The padded vocabulary is that of the layout's TP and the framework's divisor.
func TestCase043Said(t *testing.T) {
	c := loadCase(t, "043-vocab-padding-changes-with-tp")
	m := shaped(t, catalog.Shape{Layers: 6, Hidden: 128, Heads: 8, FFN: 512, Vocab: int(number(t, c.Model["vocab"]))})
	for framework, key := range map[string]string{"megatron": "padded_128", "torchtitan": "padded_1", "nanotron": "padded_1"} {
		for i, tp := range numbers(t, c.Layout["tp"]) {
			want := fmt.Sprintf("padded to %s,", show.Count(int(numbers(t, c.Expect[key])[i])))
			if got := said(t, problemOf(t, m, framework, 8, 8), fmt.Sprintf("tp=%v", tp)); !strings.Contains(got, want) && (tp > 1 || key == "padded_128") {
				t.Errorf("%s, tp=%v: %q does not say %q", framework, tp, got, want)
			}
		}
	}
}
