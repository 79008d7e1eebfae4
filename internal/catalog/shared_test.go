package catalog

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"

	"planner/costmodel"
)

// sharedFile reads a file of the test data that is kept outside the project;
// the test is skipped where there is none.
func sharedFile(t testing.TB, path ...string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(append([]string{"..", "..", "..", "shared"}, path...)...))
	if err != nil {
		t.Skip("no test data outside the project")
	}
	return b
}

// sharedTable reads a tab-separated table as a map per row.
func sharedTable(t testing.TB, path ...string) []map[string]string {
	t.Helper()
	r := csv.NewReader(strings.NewReader(string(sharedFile(t, path...))))
	r.Comma, r.LazyQuotes, r.FieldsPerRecord = '\t', true, -1
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var out []map[string]string
	for _, row := range rows[1:] {
		m := make(map[string]string, len(row))
		for i, v := range row {
			m[rows[0][i]] = v
		}
		out = append(out, m)
	}
	return out
}

// hfModel imports a stored configuration.
func hfModel(t testing.TB, file string) *costmodel.Model {
	t.Helper()
	m, err := ParseHF(file, sharedFile(t, "hf_configs", file))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// acceptance is a case of the acceptance tests: its model and what to expect.
type acceptance struct {
	Model  map[string]any
	Layout map[string]any
	// Observed holds what the report printed, Expect the right answer.
	Observed, Expect map[string]any
}

func loadCase(t *testing.T, file string) acceptance {
	t.Helper()
	var c acceptance
	if err := toml.Unmarshal(sharedFile(t, "cases", file), &c); err != nil {
		t.Fatal(err)
	}
	return c
}

// shape builds the dense model that the case's sizes describe.
func (c acceptance) shape(t *testing.T) *costmodel.Model {
	t.Helper()
	n := func(key string) int { v, _ := c.Model[key].(int64); return int(v) }
	tied, _ := c.Model["tied"].(bool)
	m, err := Shape{
		Name: "case", Layers: n("layers"), Hidden: n("hidden"), Heads: n("heads"), KVHeads: n("kv_heads"),
		HeadDim: n("head_dim"), FFN: n("ffn"), Vocab: n("vocab"), Gated: true, Tied: tied,
	}.Model()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// num returns a number of a table.
func num(t *testing.T, m map[string]any, key string) float64 {
	t.Helper()
	switch v := m[key].(type) {
	case int64:
		return float64(v)
	case float64:
		return v
	}
	t.Fatalf("case has no number %q", key)
	return 0
}

// nums returns a list of integers of a table.
func nums(t *testing.T, m map[string]any, key string) []int64 {
	t.Helper()
	list, _ := m[key].([]any)
	var out []int64
	for _, v := range list {
		n, _ := v.(int64)
		out = append(out, n)
	}
	if len(out) == 0 {
		t.Fatalf("case has no list %q", key)
	}
	return out
}
