package report

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"planner/internal/ask"
	"planner/internal/catalog"
	"planner/internal/show"
)

var (
	dataOpen  = []byte(`<script type="application/json" id="planner-data">`)
	dataClose = []byte(`</script>`)
)

// ReadFile returns the data of a report written by this package: an HTML page,
// or its JSON alone. Errors are *catalog.Error.
func ReadFile(path string) (*Data, error) {
	text, err := catalog.ReadFile("report", path)
	if err != nil {
		return nil, err
	}
	return Read(path, text)
}

// Read is ReadFile on text that was read already; name names it in errors.
func Read(name string, text []byte) (*Data, error) {
	if i := bytes.Index(text, dataOpen); i >= 0 {
		text = text[i+len(dataOpen):]
		end := bytes.Index(text, dataClose)
		if end < 0 {
			return nil, catalog.Errorf("%s: cut short: write it again with planner report", name)
		}
		text = text[:end]
	}
	d := &Data{}
	if err := json.Unmarshal(text, d); err != nil {
		return nil, catalog.Errorf("%s: holds no plan: want a page written by planner report", name)
	}
	switch {
	case d.Kind != Kind:
		return nil, catalog.Errorf("%s: not a report: want a page written by planner report", name)
	case d.SchemaVersion != show.SchemaVersion:
		return nil, catalog.Errorf("%s: schema version %d: written by another planner: write it again", name, d.SchemaVersion)
	}
	return d, nil
}

// TestReadBack: what a page holds is what was asked and answered, and asking
// it again gives the same step.
func TestReadBack(t *testing.T) {
	r := piped()
	file := filepath.Join(t.TempDir(), "review.html")
	if err := os.WriteFile(file, page1(t, r), 0o600); err != nil {
		t.Fatal(err)
	}
	d, err := ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := show.NewExplanation(r.Answer, r.Pick)
	want.Question = nil // which the page has once
	if diff := cmp.Diff(want, d.Explanation, cmpopts.IgnoreUnexported(show.Call{})); diff != "" {
		t.Errorf("explanation changed (-written +read):\n%s", diff)
	}
	a, err := ask.Ask(d.Question.Ask())
	if err != nil {
		t.Fatal(err)
	}
	l, f, err := a.Layout(d.Layout)
	if err != nil {
		t.Fatal(err)
	}
	if e := a.Problem.Estimate(l, f); e.Step != r.Pick.Step || f.Name != d.Framework {
		t.Errorf("asked again: %v on %s, want %v on %s", e.Step, f.Name, r.Pick.Step, d.Framework)
	}
}

func TestReadErrors(t *testing.T) {
	whole := page1(t, piped())
	for name, text := range map[string]string{
		"empty":        "",
		"other page":   "<html></html>",
		"other JSON":   `{"schema_version":1}`,
		"cut short":    string(whole[:bytes.Index(whole, dataOpen)+200]),
		"other schema": strings.Replace(string(whole), `"planner-data">{"schema_version":1`, `"planner-data">{"schema_version":7`, 1),
	} {
		_, err := Read(name, []byte(text))
		if _, ok := err.(*catalog.Error); !ok || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want one line", name, err)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`<script type="application/json" id="planner-data">{"schema_version":1,"kind":"planner-report"}</script>`))
	f.Add([]byte(`{"schema_version":1,"kind":"planner-report","explanation":{"calls":[{}]}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		d, err := Read("page", text)
		if (d == nil) == (err == nil) {
			t.Errorf("data %v, error %v", d, err)
		}
	})
}
