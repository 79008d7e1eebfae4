//go:build !unix

package worker

import (
	"errors"
	"runtime"
)

func mapFile(string, int) ([]byte, error) { return nil, errors.New("not on " + runtime.GOOS) }

func unmap([]byte) error { return nil }
