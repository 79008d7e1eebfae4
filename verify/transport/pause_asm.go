//go:build amd64 || arm64

package transport

// pause tells the core that this is a spin loop.
//
//go:noescape
func pause()
