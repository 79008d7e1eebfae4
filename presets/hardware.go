// Package presets holds the data that the planner ships with, each figure
// with its source and date: see the TOML files beside this one.
package presets

import "embed"

// Hardware holds hardware/NAME.toml (accelerators), clusters/NAME.toml, and in
// each of the two folders fit.toml (fitted constants); hardware/aliases.toml
// maps other spellings to names.
//
//go:embed all:hardware all:clusters
var Hardware embed.FS
