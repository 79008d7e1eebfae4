//go:build amd64 || arm64

package transport

import "unsafe"

// pause tells the core that this is a spin loop.
//
//go:noescape
func pause()

// own asks for lines of 64 bytes to write to, and does not wait for them.
// Processors that cannot do that take it for a no-op (PREFETCHW: AMD64
// Architecture Programmer's Manual 3; Intel SDM 2B).
//
//go:noescape
func own(p unsafe.Pointer, lines int)
