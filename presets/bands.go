package presets

import _ "embed"

// Bands holds bands.toml: by how much measured steps leave predicted ones, by
// kind of run. Written by `planner calibrate`.
//
//go:embed bands.toml
var Bands []byte
