package report

import (
	"bytes"
	"encoding/json"

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
