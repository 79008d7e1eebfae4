package plan

import (
	"planner/internal/ask"
	"planner/internal/catalog"
)

// files is the table of a plan file that keeps the user's own files, each where
// the question names one.
type files struct {
	Model    *ask.File `toml:"model"`
	Hardware *ask.File `toml:"hardware"`
}

// filesOf returns the table for f, or nil for none.
func filesOf(f *ask.Files) *files {
	t := &files{}
	if f.Model.Text != "" {
		t.Model = &f.Model
	}
	if f.Hardware.Text != "" {
		t.Hardware = &f.Hardware
	}
	if *t == (files{}) {
		return nil
	}
	return t
}

func (t *files) kept() (f ask.Files) {
	if t.Model != nil {
		f.Model = *t.Model
	}
	if t.Hardware != nil {
		f.Hardware = *t.Hardware
	}
	return f
}

// checkFiles refuses copies that planner would not have kept. What is in them is
// checked as that of a file, when it is used.
func checkFiles(file string, f *ask.Files) error {
	for key, copied := range map[string]*ask.File{"model": &f.Model, "hardware": &f.Hardware} {
		if n := len(copied.Text); n > catalog.MaxKept {
			return catalog.Errorf("%s: files.%s: %d bytes: too large: want at most %d", file, key, n, catalog.MaxKept)
		}
	}
	return nil
}
