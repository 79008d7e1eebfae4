package presets

import "embed"

// Runs holds runs/SOURCE.tsv, published measured training runs in the columns
// of `planner validate --runs`, and runs/sources.toml, where each is from. No
// prediction reads them: they are what predictions are held against.
//
//go:embed runs
var Runs embed.FS
