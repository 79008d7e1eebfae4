//go:build !linux

package engine

import "runtime"

// Cores returns nil: the system has no way to choose.
func Cores() []int { return nil }

// Pin ties the calling goroutine to a thread; the system chooses its core.
func Pin(int) (unpin func()) {
	runtime.LockOSThread()
	return runtime.UnlockOSThread
}
