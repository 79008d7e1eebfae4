//go:build linux || darwin

package dl

import "github.com/ebitengine/purego"

// open binds at once and makes symbols global, since the vendors' libraries
// look for each other's.
func open(name string) (uintptr, error) {
	return purego.Dlopen(name, purego.RTLD_NOW|purego.RTLD_GLOBAL)
}

func symbol(lib uintptr, name string) (uintptr, error) { return purego.Dlsym(lib, name) }
