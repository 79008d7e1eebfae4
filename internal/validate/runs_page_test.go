package validate

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// runsPage returns docs/RUNS.md, and the table that it shows.
func runsPage(t *testing.T) (page, example string) {
	t.Helper()
	text, err := os.ReadFile("../../docs/RUNS.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "```tsv\n")
	example, _, _ = strings.Cut(rest, "```")
	return string(text), example
}

// The page for users has a row for every column that is read, in order, and
// none that is not.
func TestPageNamesEveryColumn(t *testing.T) {
	page, _ := runsPage(t)
	var named []string
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z0-9_]+)` \\|").FindAllStringSubmatch(page, -1) {
		named = append(named, m[1])
	}
	slices.Sort(named)
	if want := slices.Sorted(slices.Values(knownRunColumns)); !slices.Equal(named, want) {
		t.Errorf("docs/RUNS.md has %q, want %q", named, want)
	}
}

// The table that the page shows is read, no column of it is ignored, and its
// runs are predicted.
func TestPageExample(t *testing.T) {
	_, example := runsPage(t)
	table, err := ReadRunTable("RUNS.md", strings.NewReader(example))
	if err != nil {
		t.Fatal(err)
	}
	if len(table.Runs) != 2 || len(table.Ignored) > 0 {
		t.Errorf("%d rows, ignored %q: want 2 and none", len(table.Runs), table.Ignored)
	}
	for _, r := range Runs(table.Runs).Rows {
		if r.Skipped != "" || r.Measured == nil || r.MeasuredMem == nil {
			t.Errorf("line %d: skipped %q, measured %v and %v", r.Line, r.Skipped, r.Measured, r.MeasuredMem)
		}
	}
}

// What a label says changes no prediction; what a preset names by a path does.
func TestModelIsALabel(t *testing.T) {
	const head = "framework\tmodel\tpreset\tgpu\tgpus\tseq_len\tgbs\n"
	runs, err := ReadRuns("t.tsv", strings.NewReader(head+
		"megatron\tllama3.1-8b\t\th100\t8\t2048\t64\n"+
		"megatron\tgpt3-175b\tllama3.1-8b\th100\t8\t2048\t64\n"+
		"megatron\t\tllama3.1-8b\th100\t8\t2048\t64\n"+
		"megatron\t\tnone/config.json\th100\t8\t2048\t64\n"))
	if err != nil {
		t.Fatal(err)
	}
	rows := Runs(runs).Rows
	if !strings.Contains(rows[0].Skipped, "no shape and no preset") || rows[1].Step != rows[2].Step || !strings.Contains(rows[3].Skipped, "none/config.json") {
		t.Errorf("%q, %v and %v, %q", rows[0].Skipped, rows[1].Step, rows[2].Step, rows[3].Skipped)
	}
}
