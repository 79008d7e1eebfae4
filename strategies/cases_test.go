package strategies_test

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/BurntSushi/toml"

	"planner/costmodel"
	"planner/internal/ask"
	"planner/internal/catalog"
	"planner/strategies"
)

// acceptance is a case: what was reported of a run or a tool, and the right
// answer with its derivation.
type acceptance struct {
	Model, Cluster, Layout, Observed, Expect map[string]any
}

// sharedFile reads test data kept outside the project, or skips the test.
func sharedFile(t testing.TB, path ...string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(append([]string{"..", "..", "shared"}, path...)...))
	if err != nil {
		t.Skip("no test data outside the project")
	}
	return b
}

func loadCase(t testing.TB, file string) acceptance {
	t.Helper()
	var c acceptance
	if err := toml.Unmarshal(sharedFile(t, "cases", file+".toml"), &c); err != nil {
		t.Fatal(err)
	}
	return c
}

func number(t testing.TB, v any) float64 {
	t.Helper()
	switch n := v.(type) {
	case int64:
		return float64(n)
	case float64:
		return n
	}
	t.Fatalf("%v is no number", v)
	return 0
}

func numbers(t testing.TB, v any) []float64 {
	t.Helper()
	var out []float64
	for _, x := range v.([]any) {
		out = append(out, number(t, x))
	}
	return out
}

// within checks a value against the case's, by its relative tolerance.
func within(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if math.Abs(got-want) > tolerance*math.Abs(want)+1e-9 {
		t.Errorf("%s: %v, want %v ± %v %%", what, got, want, 100*tolerance)
	}
}

func profileOf(t testing.TB, name string) *strategies.Profile {
	t.Helper()
	p, err := catalog.Profiles(name)
	if err != nil {
		t.Fatal(err)
	}
	return p[0]
}

// fits predicts a layout and says whether it fits.
func fits(t testing.TB, q ask.Question, layout string) bool {
	t.Helper()
	a, err := ask.Ask(q)
	if err != nil {
		t.Fatal(err)
	}
	l, f, err := a.Layout(layout)
	if err != nil {
		t.Fatal(err)
	}
	e := a.Problem.Estimate(l, f)
	return e.Fits
}

// problemOf joins a model of the case's sizes with a machine of H100s.
func problemOf(t testing.TB, m *costmodel.Model, framework string, gpus, batch int) *strategies.Problem {
	t.Helper()
	c, err := catalog.Cluster("h100-sxm-80gb", gpus)
	if err != nil {
		t.Fatal(err)
	}
	profiles, err := catalog.Profiles(framework)
	if err != nil {
		t.Fatal(err)
	}
	p, err := catalog.Problem(m, c, strategies.Workload{Seq: 2048, GlobalBatch: batch}, profiles)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// shaped builds a gated dense model.
func shaped(t testing.TB, s catalog.Shape) *costmodel.Model {
	t.Helper()
	s.Name, s.Gated = "case", true
	m, err := s.Model()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// refusal returns why a layout string is refused, or nil.
func refusal(t testing.TB, p *strategies.Problem, layout string) *strategies.Violation {
	t.Helper()
	l, err := strategies.ParseLayout(layout)
	if err != nil {
		t.Fatal(err)
	}
	l, v := l.Complete(p.Cluster.GPUs)
	if v != nil {
		return v
	}
	return p.Check(&l, p.Profiles[0])
}
