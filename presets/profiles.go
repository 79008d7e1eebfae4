package presets

import "embed"

// Profiles holds profiles/NAME.toml, one framework each, and
// profiles/fit.toml, their fitted constants.
//
//go:embed profiles
var Profiles embed.FS
