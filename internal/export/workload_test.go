package export

import (
	"slices"
	"strings"
	"testing"

	"planner/internal/ask"
)

// No target has a setting for a forward pass or for frozen parameters: each
// says so, and none of training everything.
func TestWorkloadMissing(t *testing.T) {
	has := func(d *Document, words string) bool {
		return slices.ContainsFunc(d.Missing, func(m string) bool { return strings.HasPrefix(m, words) })
	}
	for _, target := range Targets() {
		framework, err := Framework(target)
		if err != nil {
			t.Fatal(err)
		}
		q := ask.Question{Model: "llama3.1-8b", GPUs: 64, Framework: framework}
		layout := map[bool]string{true: "zero=1", false: "zero=3"}[framework == "megatron"]
		for _, c := range []struct {
			pass      string
			trainable float64
			forward   bool
			frozen    bool
		}{{"", 0, false, false}, {"train", 1, false, false}, {"forward", 0, true, false}, {"train", 0.01, false, true}} {
			q.Pass, q.Trainable = c.pass, c.trainable
			d := document(t, target, plan(t, q, layout))
			if has(d, "--pass forward: ") != c.forward || has(d, "--trainable 0.01: ") != c.frozen {
				t.Errorf("%s of pass %q, trainable %g: cannot express %q", target, c.pass, c.trainable, d.Missing)
			}
			if (c.forward || c.frozen) && strings.Contains(d.Text+d.SideFile(), "cannot express: nothing") {
				t.Errorf("%s: says that nothing is missing", target)
			}
		}
	}
}

func TestAttentionAssumed(t *testing.T) {
	q := ask.Question{Model: "llama3.1-8b", GPUs: 64, Framework: "megatron", Attention: "flash2"}
	if d := document(t, "megatron", plan(t, q, "zero=1")); !strings.Contains(d.Text, "assumed: the attention kernel is flash2") {
		t.Errorf("%q", d.Assumed)
	}
}
