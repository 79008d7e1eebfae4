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
	d := document(t, c.target, plan(t, q, c.layout))
	lines := strings.Split(d.Text, "\n")
	for i := range lines {
		lines[i] = strings.Trim(lines[i], " ,")
	}
	for _, w := range c.want {
		if !slices.Contains(lines, w) {
			t.Errorf("%s: no line %q in\n%s", c.name, w, d.Text)
		}
	}
	for _, n := range c.never {
		if strings.Contains(d.Text, n) {
			t.Errorf("%s: %s is written", c.name, n)
		}
	}
	for _, n := range c.note {
		if !strings.Contains(d.Text+d.SideFile(), n) {
			t.Errorf("%s: %q is not named in %q", c.name, n, d.Assumed)
		}
	}
}
