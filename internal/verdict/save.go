package verdict

import (
	"encoding/json"
	"math"

	"planner/internal/catalog"
	"planner/internal/export"
)

// Save writes a report as JSON, whole or not at all.
func (r *Report) Save(file string) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return export.WriteFile(file, append(text, '\n'))
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
