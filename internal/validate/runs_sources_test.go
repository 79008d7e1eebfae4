package validate

import (
	"fmt"

	"planner/internal/catalog"
	"planner/presets"
)

// sourceRuns is what presets/runs/sources.toml says of one table.
type sourceRuns struct {
	Rows   int    `toml:"rows"`
	Source string `toml:"source"`
	Note   string `toml:"note"`
	AsOf   string `toml:"as_of"`
}

// runSources returns where the bundled tables are from, by name.
func runSources() (map[string]sourceRuns, error) {
	const file = "runs/sources.toml"
	text, err := presets.Runs.ReadFile(file)
	if err != nil {
		return nil, err
	}
	m := map[string]sourceRuns{}
	if err := catalog.Decode(file, text, &m); err != nil {
		return nil, fmt.Errorf("presets: %w", err)
	}
	return m, nil
}
