// Package blas runs matrix products through cuBLASLt or AMD's hipBLASLt, opened
// while the program runs, to measure what a layer's GEMMs cost on the GPU at hand.
package blas

import (
	"errors"
	"fmt"
	"runtime"
	"sync"

	"planner/verify/gpu/dl"
)

// Library is cuBLASLt, open.
type Library struct {
	Version int // as 120500 for 12.5.0
	table
	numbers    numbers
	hipVersion func(handle, *int32) status
	mu         sync.Mutex
	handles    map[Device]handle
}

// Open opens cuBLASLt of CUDA 11 to 13, or the first of paths.
func Open(paths ...string) (*Library, error) {
	if len(paths) == 0 {
		paths = []string{"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so.11"}
	}
	lib, err := dl.Open("cuBLAS, as the CUDA toolkit or nvidia-cublas-cu12 brings it", paths...)
	if err != nil {
		return nil, err
	}
	l := &Library{numbers: nvidia}
	if err := lib.Bind(l.bindings()); err != nil {
		return nil, err
	}
	l.Version = int(l.version())
	return l, nil
}

// OpenHIP opens hipBLASLt of ROCm 6 or 7, or the first of paths.
func OpenHIP(paths ...string) (*Library, error) {
	if len(paths) == 0 {
		paths = []string{"libhipblaslt.so.1", "libhipblaslt.so.0", "libhipblaslt.so"}
	}
	lib, err := dl.Open("hipBLASLt, as ROCm brings it", paths...)
	if err != nil {
		return nil, err
	}
	l := &Library{numbers: amd}
	return l, lib.Bind(l.hipBindings(&l.hipVersion))
}

// Title names the library and its version; hipBLASLt's is known from the first
// product on.
func (l *Library) Title() string {
	if l.numbers == amd {
		return fmt.Sprintf("hipBLASLt %d.%d.%d", l.Version/100000, l.Version/100%1000, l.Version%100)
	}
	return fmt.Sprintf("cuBLASLt %d.%d.%d", l.Version/10000, l.Version/100%100, l.Version%100)
}

func (l *Library) check(s status, call string) error {
	if s == 0 {
		return nil
	}
	if l.statusString == nil {
		return fmt.Errorf("%s: status %d", call, s)
	}
	return fmt.Errorf("%s: %s (%d)", call, l.statusString(s), s)
}

// Device is the GPU that products run on.
type Device interface {
	Use() error
	Stream() uintptr
}

// Detach gives up what products on a GPU share, once all are closed.
func (l *Library) Detach(d Device) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	h := l.handles[d]
	if h == 0 {
		return nil
	}
	delete(l.handles, d)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return errors.Join(d.Use(), l.check(l.destroy(h), "cublasLtDestroy"))
}
