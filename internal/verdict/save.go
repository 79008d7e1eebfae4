package verdict

import (
	"encoding/json"

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
