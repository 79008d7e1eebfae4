package validate

import (
	"bytes"
	"io/fs"
	"slices"

	"planner/internal/catalog"
	"planner/presets"
)

// BundledRuns returns the published runs of presets/runs.
func BundledRuns() ([]Run, error) {
	files, err := fs.Glob(presets.Runs, "runs/*.tsv")
	if err != nil {
		return nil, err
	}
	var all []Run
	for _, f := range files {
		text, err := presets.Runs.ReadFile(f)
		if err != nil {
			return nil, err
		}
		runs, err := ReadRuns("presets/"+f, bytes.NewReader(text))
		if err != nil {
			return nil, err
		}
		all = append(all, runs...)
	}
	return all, nil
}

// RunsFile reads a user's table.
func RunsFile(path string) (*RunTable, error) {
	text, err := catalog.ReadFile("tab-separated table of runs", path)
	if err != nil {
		return nil, err
	}
	t, err := ReadRunTable(path, bytes.NewReader(text))
	if err == nil && len(t.Runs) == 0 {
		return nil, catalog.Errorf("--runs %s: no rows below the header", path)
	}
	return t, err
}

// Seen reports whether rows of a table are of the published runs, by their
// names: what the constants were fitted on.
func (r *Report) Seen() bool {
	runs, err := BundledRuns()
	if err != nil {
		return false
	}
	known := map[string]bool{}
	for i := range runs {
		known[runs[i].ID] = true
	}
	return slices.ContainsFunc(r.Rows, func(x RunResult) bool { return x.ID != "" && known[x.ID] })
}
