//go:build !linux

package engine

import (
	"fmt"
	"runtime"
)

// Cores returns nil: the system has no way to choose.
func Cores() []int { return nil }

// Pin ties the calling goroutine to a thread; the system chooses its core.
func Pin(int) (unpin func()) {
	runtime.LockOSThread()
	return runtime.UnlockOSThread
}

// PinTo returns an error: the system has no way to choose.
func PinTo(core int) (unpin func(), err error) {
	return func() {}, fmt.Errorf("core %d: this system does not let programs choose", core)
}
