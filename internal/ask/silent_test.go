package ask_test

import (
	"strings"
	"testing"

	"planner/internal/ask"
)

// What only some models make matter is listed for those, unless it was given.
func TestSilentDefaults(t *testing.T) {
	for _, c := range []struct {
		q    ask.Question
		want string // what comes after the framework
	}{
		{ask.Question{Model: "mixtral-8x7b", GPUs: 64}, "--imbalance 1 --dispatcher alltoall --attention flash3"},
		{ask.Question{Model: "mixtral-8x7b", GPUs: 64, Hardware: "b200-sxm"}, "--imbalance 1 --dispatcher alltoall --attention te"},
		{ask.Question{Model: "mixtral-8x7b", GPUs: 64, Imbalance: 1.3, Dispatched: true}, "--attention flash3"},
		{ask.Question{Model: "mixtral-8x7b", GPUs: 64, Capacity: 1.25, Attention: "te", Dispatched: true}, ""},
		{ask.Question{Model: "70b", GPUs: 512, SeqLen: 131072}, "--attention flash3"},
		{ask.Question{Model: "70b", GPUs: 512}, ""},
	} {
		a, err := ask.Ask(c.q)
		if err != nil {
			t.Fatalf("Ask(%+v): %v", c.q, err)
		}
		var chosen []string
		for _, d := range a.Defaults {
			chosen = append(chosen, d.Flag+" "+d.Value)
		}
		if _, got, _ := strings.Cut(strings.Join(chosen, " "), "--framework any"); strings.TrimSpace(got) != c.want {
			t.Errorf("Ask(%+v) chose %q last, want %q", c.q, got, c.want)
		}
	}
}
