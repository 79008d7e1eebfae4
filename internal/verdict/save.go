package verdict

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"

	"planner/internal/catalog"
)

// Save writes a report as JSON, whole or not at all.
func (r *Report) Save(file string) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return writeWhole(file, append(text, '\n'))
}

// writeWhole writes beside the file and renames, so that no half is left.
func writeWhole(file string, text []byte) error {
	t, err := os.CreateTemp(filepath.Dir(file), ".planner-*")
	if err != nil {
		return catalog.Errorf("%s: cannot write: %v", file, errors.Unwrap(err))
	}
	_, err = t.Write(text)
	err = errors.Join(err, t.Chmod(0o644), t.Close())
	if err == nil {
		err = os.Rename(t.Name(), file)
	}
	if err != nil {
		_ = os.Remove(t.Name())
	}
	return err
}

// Load reads a saved report and judges it again. Errors are *catalog.Error.
func Load(file string) (*Report, error) {
	text, err := catalog.ReadFile("saved measurement", file)
	if err != nil {
		return nil, err
	}
	return Parse(file, text)
}

// Parse reads a saved report and judges it again.
func Parse(file string, text []byte) (*Report, error) {
	r := &Report{}
	if err := json.Unmarshal(text, r); err != nil {
		return nil, catalog.JSONFault(file, "a saved measurement, as planner verify --save writes", text, err)
	}
	if r.SchemaVersion != 1 {
		return nil, catalog.Errorf("%s: schema_version %d: not a saved measurement: want 1, as planner verify --save writes", file, r.SchemaVersion)
	}
	if err := r.check(); err != "" {
		return nil, catalog.Errorf("%s: %s", file, err)
	}
	r.Judge()
	return r, nil
}

// check says what a report that planner wrote cannot hold.
func (r *Report) check() string {
	positive := func(x ...float64) bool {
		for _, v := range x {
			if !(v > 0) || math.IsInf(v, 1) {
				return false
			}
		}
		return true
	}
	if len(r.Layouts) == 0 {
		return "no layouts: want at least one"
	}
	if r.Ranks < 1 || r.Nodes < 1 {
		return "ranks or nodes below 1"
	}
	for _, l := range r.Layouts {
		if !positive(l.Predicted, l.Measured) || !(l.StdErr >= 0) {
			return "layout " + l.Layout + ": a time that is not above 0"
		}
	}
	for _, c := range r.Calls {
		if !positive(c.Predicted, c.Measured) {
			return "call " + c.Op + ": a time that is not above 0"
		}
	}
	for _, l := range r.Links {
		if !positive(l.Bandwidth, l.Latency, l.Sharing, l.Probed.Alone, l.Probed.Shared, l.Probed.Latency) {
			return "link " + l.Tier + ": a term that is not above 0"
		}
	}
	return ""
}
