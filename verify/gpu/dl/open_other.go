//go:build !linux && !darwin

package dl

import (
	"errors"
	"runtime"
)

func open(string) (uintptr, error) {
	return 0, errors.New("not on " + runtime.GOOS)
}

func symbol(uintptr, string) (uintptr, error) { return 0, errors.New("not on " + runtime.GOOS) }
