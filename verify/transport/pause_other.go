//go:build !amd64 && !arm64

package transport

func pause() {}
