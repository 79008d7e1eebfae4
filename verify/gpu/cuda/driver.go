// Package cuda runs the engine's steps on NVIDIA GPUs through the driver
// alone: libcuda.so.1 is opened while the program runs, and the kernels are
// those of package ptx.
//
// A [Group] is a number of ranks in this process, several on one GPU or one
// on each. Every rank has a stream; events order the streams as the steps'
// rounds ask, so that no kernel ever waits for another and no rank must be
// resident beside its peers.
package cuda

import (
	"fmt"
	"sync"
	"unsafe"

	"planner/verify/gpu/dl"
)

// Result is what every function of the driver returns (CUresult).
type Result int32

// Results that are not failures of the machine (cuda.h).
const (
	success          Result = 0
	noDevice         Result = 100
	notReady         Result = 600
	peerWasEnabled   Result = 704
	oldestDriver            = 9000 // CUDA 9.0, the first with PTX ISA 6.0
	oldestCapability        = 70   // sm_70, for which the PTX is
)

// Pointer is an address in a GPU's memory (CUdeviceptr).
type Pointer uint64

// Driver is the open driver.
type Driver struct {
	Version int // of the newest CUDA it serves, as 12040 for 12.4
	Path    string
	table
	hip   *hip                         // AMD's functions, if it is AMD's
	image func(Device) ([]byte, error) // of kernels, if not PTX
	mu    sync.Mutex
	gpus  map[int]*loaded // in use, by ordinal
}

// Open opens the NVIDIA driver, libcuda.so.1 unless other paths are given. It
// fails, in one line, where there is none, it is too old or it sees no GPU.
func Open(paths ...string) (*Driver, error) {
	if len(paths) == 0 {
		paths = []string{"libcuda.so.1"}
	}
	lib, err := dl.Open("the NVIDIA driver, as nvidia-smi needs it too", paths...)
	if err != nil {
		return nil, err
	}
	d := &Driver{Path: lib.Name}
	if err := lib.Bind(d.bindings()); err != nil {
		return nil, err
	}
	var v int32
	if err := d.check(d.driverVersion(&v), "cuDriverGetVersion"); err != nil {
		return nil, err
	}
	d.Version = int(v)
	if v < oldestDriver {
		return nil, fmt.Errorf("%s: CUDA %d.%d: too old: want a driver of CUDA 9.0 or newer", lib.Name, v/1000, v%1000/10)
	}
	if r := d.init(0); r == noDevice {
		return nil, fmt.Errorf("%s: CUDA_ERROR_NO_DEVICE: the driver sees no GPU: want one, and CUDA_VISIBLE_DEVICES not empty", lib.Name)
	} else if err := d.check(r, "cuInit"); err != nil {
		return nil, err
	}
	return d, nil
}

// Error is a failed call of the driver.
type Error struct {
	Call, Name, Text string
	Code             Result
}

// Error names the function, the driver's name of the error and its text.
func (e *Error) Error() string { return fmt.Sprintf("%s: %s (%d): %s", e.Call, e.Name, e.Code, e.Text) }

// check turns a result into an error.
func (d *Driver) check(r Result, call string) error {
	if r == success {
		return nil
	}
	e := &Error{Call: call, Code: r, Name: "unknown error", Text: "the driver does not say"}
	var p *byte
	if d.errorName(r, &p) == success && p != nil {
		e.Name = goString(p)
	}
	if p = nil; d.errorString(r, &p) == success && p != nil {
		e.Text = goString(p)
	}
	return e
}

// goString copies a C string.
func goString(p *byte) string {
	n := 0
	for *(*byte)(unsafe.Add(unsafe.Pointer(p), n)) != 0 {
		n++
	}
	return string(unsafe.Slice(p, n))
}

// hasGraphs reports whether the driver can capture and launch graphs.
func (d *Driver) hasGraphs() bool {
	return d.captureBegin != nil && d.captureEnd != nil && d.instantiate != nil && d.graphLaunch != nil &&
		d.graphDestroy != nil && d.execDestroy != nil
}
