package validate

import (
	"slices"
	"strings"
	"testing"
)

// The schema is that of the published tables (shared/runs/COLUMNS.md): none of
// their columns is ignored, and what a table adds or misspells is named.
func TestIgnoredColumns(t *testing.T) {
	for _, c := range []struct {
		header string
		want   []string
	}{
		{strings.Join(knownRunColumns, "\t"), nil},
		{"framework\tgpu\tgpus\tseq_len\tgbs\tdispatcher\tstep_second",
			[]string{"dispatcher", "step_second (did you mean step_seconds?)"}},
		// what the table has already was not meant
		{"framework\tgpu\tgpus\tseq_len\tgbs\tstep_seconds\tstep_second", []string{"step_second"}},
		{"framework\tgpu\tgpus\tseq_len\tgbs\t", nil},
	} {
		table, err := ReadRunTable("t.tsv", strings.NewReader(c.header+"\n"))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(table.Ignored, c.want) {
			t.Errorf("%q: %q, want %q", c.header, table.Ignored, c.want)
		}
	}
}

// A report says what its rows did not give, and why there is nothing to report.
func TestNotes(t *testing.T) {
	const head = "framework\tpreset\tgpu\tgpus\tseq_len\tgbs\n"
	const good, bad = "megatron\tllama3.1-8b\tgb200\t8\t8192\t128\n", "megatron\tllama3.1-8b\tgb2000\t8\t8192\t128\n"
	report := func(rows string) *Report {
		runs, err := ReadRuns("t.tsv", strings.NewReader(head+rows))
		if err != nil {
			t.Fatal(err)
		}
		return Runs(runs)
	}
	r := report(good + bad)
	notes := strings.Join(r.Notes(), "\n")
	for _, want := range []string{"assumed in 1 of 1 predicted rows: ", "mbs, tp, pp, cp, ep, dp, zero", `line 3: skipped: unknown hardware "gb2000"`} {
		if !strings.Contains(notes, want) {
			t.Errorf("%q misses %q", notes, want)
		}
	}
	if r.Nothing() != "" {
		t.Errorf("%q of a row that is predicted", r.Nothing())
	}
	want := `no row can be predicted: line 2: unknown hardware "gb2000": did you mean "gb200"? (the first of 2 rows; all: --format json)`
	if got := report(bad + bad).Nothing(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
