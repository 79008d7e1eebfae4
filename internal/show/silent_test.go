package show

import (
	"bytes"
	"strings"
	"testing"

	"planner/internal/ask"
)

// What only some models make matter is listed for those, unless it was given.
func TestSilentDefaults(t *testing.T) {
	for _, c := range []struct {
		q          ask.Question
		dispatched bool
		want       string // what comes after the framework
	}{
		{ask.Question{Model: "mixtral-8x7b", GPUs: 64}, false, " · --imbalance 1 · --dispatcher alltoall · --attention flash3"},
		{ask.Question{Model: "mixtral-8x7b", GPUs: 64, Hardware: "b200-sxm"}, false, " · --imbalance 1 · --dispatcher alltoall · --attention te"},
		{ask.Question{Model: "mixtral-8x7b", GPUs: 64, Imbalance: 1.3}, true, " · --attention flash3"},
		{ask.Question{Model: "mixtral-8x7b", GPUs: 64, Capacity: 1.25, Attention: "te"}, true, ""},
		{ask.Question{Model: "70b", GPUs: 512, SeqLen: 131072}, false, " · --attention flash3"},
		{ask.Question{Model: "70b", GPUs: 512}, false, ""},
	} {
		a := answer(t, c.q)
		AddSilent(a, c.dispatched)
		var b bytes.Buffer
		Chosen(&b, a)
		if got := strings.TrimSpace(b.String()); !strings.HasSuffix(got, "--framework any"+c.want) {
			t.Errorf("%+v: %q, want %q at the end", c.q, got, c.want)
		}
	}
}
