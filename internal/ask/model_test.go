package ask_test

import (
	"slices"
	"strings"
	"testing"

	"planner/internal/ask"
)

// TestModelChosen: a size that stands in no list is not taken for one in
// silence.
func TestModelChosen(t *testing.T) {
	for model, want := range map[string]string{
		"70b":           "llama3.1-70b",
		"71b":           "llama3.1-70b, the nearest preset",
		"Llama-3.1-70B": "llama3.1-70b",
		"90B":           "90b", // a shape of its own, which a note describes
		"llama3.1-70b":  "",
	} {
		a, err := ask.Ask(ask.Question{Model: model, GPUs: 64})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, d := range a.Defaults {
			if d.Flag == "--model "+model {
				got = d.Value
			}
		}
		if got != want {
			t.Errorf("--model %s: chosen %q, want %q", model, got, want)
		}
	}
}

// TestUnpriced: DeepSeek-V3 has an MTP module (arXiv 2412.19437, section 2.2)
// beside the 671B that are priced; Kimi K2 of the same design has none.
func TestUnpriced(t *testing.T) {
	for model, want := range map[string]bool{"deepseek-v3": true, "glm-4.5": true, "kimi-k2": false, "70b": false} {
		a, err := ask.Ask(ask.Question{Model: model, GPUs: 1024})
		if err != nil {
			t.Fatal(err)
		}
		said := slices.ContainsFunc(a.Problem.Model.Notes, func(n string) bool { return strings.Contains(n, "is not priced") })
		if said != want {
			t.Errorf("%s: notes %q, want the MTP layer named: %v", model, a.Problem.Model.Notes, want)
		}
	}
}

// TestClusterFlags: what a flag replaces of a cluster is refused under its name.
func TestClusterFlags(t *testing.T) {
	for want, set := range map[string]func(*ask.Question){
		"--gpus-per-node 2000: out of range: want 1 to 1024":  func(q *ask.Question) { q.Options.GPUsPerNode = 2000 },
		"--inter-node 0.125B/s: out of range: want 1 kB/s to": func(q *ask.Question) { q.Options.InterNode = 0.125 },
	} {
		q := ask.Question{Model: "8b", GPUs: 64}
		set(&q)
		if _, err := ask.Ask(q); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
