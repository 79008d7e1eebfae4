package presets

import "embed"

// Models holds models/FAMILY.toml, a table per model, and models/aliases.toml,
// which maps other spellings and bare sizes to names.
//
//go:embed all:models
var Models embed.FS
