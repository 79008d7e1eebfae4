package catalog

import (
	"testing"
)

// Totals of the released checkpoints (hf_configs/EXPECTED.tsv).
func TestModelLlama(t *testing.T) {
	for name, want := range map[string]int64{
		"llama3.1-8b": 8030261248, "llama3.1-70b": 70553706496, "llama3.1-405b": 405853388800,
	} {
		m, err := Model(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := m.Parameters(); got != want {
			t.Errorf("Model(%q).Parameters() = %d, want %d", name, got, want)
		}
	}
}
