package export

import (
	"slices"
	"strings"
	"testing"

	"planner/internal/ask"
)

// priced is a layout of which the file must say what was priced.
type priced struct {
	name, target, model, precision, layout string
	want, never, note                      []string // lines; parts of the file; parts of file or header
}

func (c *priced) check(t *testing.T, framework, hardware string) {
	t.Helper()
	q := ask.Question{Model: c.model, GPUs: 64, GlobalBatch: 512, Hardware: hardware, Framework: framework, Precision: c.precision}
	says(t, c.name, document(t, c.target, plan(t, q, c.layout)), c.want, c.never, c.note)
}

// says checks a document for lines, for parts that its file must not have, and
// for parts of file or header.
func says(t *testing.T, name string, d *Document, want, never, note []string) {
	t.Helper()
	lines := strings.Split(d.Text, "\n")
	for i := range lines {
		lines[i] = strings.Trim(lines[i], " ,")
	}
	for _, w := range want {
		if !slices.Contains(lines, w) {
			t.Errorf("%s: no line %q in\n%s", name, w, d.Text)
		}
	}
	for _, n := range never {
		if strings.Contains(d.Text, n) {
			t.Errorf("%s: %s is written", name, n)
		}
	}
	for _, n := range note {
		if !strings.Contains(d.Text+d.SideFile(), n) {
			t.Errorf("%s: %q is not named in %q", name, n, d.Assumed)
		}
	}
}
