package presets

import "embed"

// Kernels holds kernels/ARCH.toml: what the kernels of one architecture reach
// of its paper figures; generic.toml fills in what a file leaves out.
//
//go:embed kernels/*.toml
var Kernels embed.FS
