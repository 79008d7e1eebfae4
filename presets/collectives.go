package presets

import "embed"

// Collectives holds collectives/fit.toml, the fitted constants of collective
// calls per kind of link.
//
//go:embed collectives
var Collectives embed.FS
