//go:build linux || darwin

package dl

import (
	"runtime"

	"github.com/ebitengine/purego"
)

// open binds at once and makes symbols global, since the vendors' libraries
// look for each other's. dlerror speaks of its own thread's last fault, so the
// goroutine stays on one.
func open(name string) (uintptr, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return purego.Dlopen(name, purego.RTLD_NOW|purego.RTLD_GLOBAL)
}

func symbol(lib uintptr, name string) (uintptr, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return purego.Dlsym(lib, name)
}
