// Package hip gives RCCL what it runs on: an AMD GPU's memory and a stream,
// through libamdhip64, opened while the program runs.
package hip

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"unsafe"

	"planner/verify/gpu/dl"
)

// result is hipError_t.
type result int32

// Results (hip_runtime_api.h).
const (
	noDevice result = 100
	notReady result = 600
)

// Kinds of hipMemcpy, and the flag of a stream that does not wait for the
// null stream.
const (
	hostToDevice = 1
	deviceToHost = 2
	nonBlocking  = 1
)

// table holds the functions, with the signatures of hip_runtime_api.h.
type table struct {
	version       func(*int32) result
	errorString   func(result) string
	count         func(*int32) result
	set           func(int32) result
	name          func(*byte, int32, int32) result
	bus           func(*byte, int32, int32) result
	malloc        func(*uintptr, uint64) result
	free          func(uintptr) result
	toDevice      func(uintptr, unsafe.Pointer, uint64, int32) result
	toHost        func(unsafe.Pointer, uintptr, uint64, int32) result
	streamCreate  func(*uintptr, uint32) result
	streamDestroy func(uintptr) result
	streamQuery   func(uintptr) result
}

func (t *table) bindings() []dl.Binding {
	b := func(name string, f any) dl.Binding { return dl.Binding{Name: name, Func: f} }
	return []dl.Binding{
		b("hipRuntimeGetVersion", &t.version), b("hipGetErrorString", &t.errorString), b("hipGetDeviceCount", &t.count),
		b("hipSetDevice", &t.set), b("hipDeviceGetName", &t.name), b("hipDeviceGetPCIBusId", &t.bus),
		b("hipMalloc", &t.malloc), b("hipFree", &t.free), b("hipMemcpy", &t.toDevice), b("hipMemcpy", &t.toHost),
		b("hipStreamCreateWithFlags", &t.streamCreate), b("hipStreamDestroy", &t.streamDestroy),
		b("hipStreamQuery", &t.streamQuery),
	}
}

// Runtime is HIP, open.
type Runtime struct {
	Version int // as 60241134 for 6.2.41134
	Devices int
	table
}

// Open opens HIP of ROCm 5 to 7, or the first of paths. It fails, in one
// line, where there is none or it sees no GPU.
func Open(paths ...string) (*Runtime, error) {
	if len(paths) == 0 {
		paths = []string{"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", "libamdhip64.so"}
	}
	lib, err := dl.Open("HIP, as ROCm brings it", paths...)
	if err != nil {
		return nil, err
	}
	r := &Runtime{}
	if err := lib.Bind(r.bindings()); err != nil {
		return nil, err
	}
	var v, n int32
	if err := r.check(r.version(&v), "hipRuntimeGetVersion"); err != nil {
		return nil, err
	}
	if e := r.count(&n); e == noDevice || e == 0 && n == 0 {
		return nil, fmt.Errorf("%s: HIP sees no GPU: want one, and HIP_VISIBLE_DEVICES not empty", lib.Name)
	} else if err := r.check(e, "hipGetDeviceCount"); err != nil {
		return nil, err
	}
	r.Version, r.Devices = int(v), int(n)
	return r, nil
}

func (r *Runtime) check(e result, call string) error {
	if e == 0 {
		return nil
	}
	return fmt.Errorf("%s: %s (%d)", call, r.errorString(e), e)
}

// Seat is a GPU and a stream on it. It serves one goroutine at a time.
type Seat struct {
	r      *Runtime
	device int32
	stream uintptr
	Name   string
	Bus    string // PCI address as sysfs spells it
}

// NewSeat returns a seat on a GPU.
func (r *Runtime) NewSeat(device int) (*Seat, error) {
	if device < 0 || device >= r.Devices {
		return nil, fmt.Errorf("GPU %d: there is none: want 0 to %d", device, r.Devices-1)
	}
	s := &Seat{r: r, device: int32(device)}
	name, bus := make([]byte, 256), make([]byte, 32)
	err := s.on(func() error {
		for call, e := range map[string]result{
			"hipDeviceGetName":         r.name(&name[0], int32(len(name)), s.device),
			"hipDeviceGetPCIBusId":     r.bus(&bus[0], int32(len(bus)), s.device),
			"hipStreamCreateWithFlags": r.streamCreate(&s.stream, nonBlocking),
		} {
			if err := r.check(e, call); err != nil {
				return err
			}
		}
		return nil
	})
	s.Name, s.Bus = text(name), strings.ToLower(text(bus))
	return s, err
}

// text returns what stands before the NUL.
func text(b []byte) string {
	s, _, _ := bytes.Cut(b, []byte{0})
	return string(s)
}

func (s *Seat) on(f func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := s.Use(); err != nil {
		return err
	}
	return f()
}

// Use makes the GPU the calling thread's, which must be locked.
func (s *Seat) Use() error { return s.r.check(s.r.set(s.device), "hipSetDevice") }

// Stream returns the handle of the stream.
func (s *Seat) Stream() uintptr { return s.stream }

// Idle reports whether everything on the stream is done.
func (s *Seat) Idle() (bool, error) {
	e := s.r.streamQuery(s.stream)
	if e == notReady {
		return false, nil
	}
	return true, s.r.check(e, "hipStreamQuery")
}

// Alloc returns n bytes on the GPU; none for n = 0.
func (s *Seat) Alloc(n int) (p uintptr, err error) {
	if n == 0 {
		return 0, nil
	}
	err = s.on(func() error {
		if err := s.r.check(s.r.malloc(&p, uint64(n)), "hipMalloc"); err != nil {
			return fmt.Errorf("%d bytes on GPU %d: %w", n, s.device, err)
		}
		return nil
	})
	return p, err
}

// Free gives back what Alloc returned.
func (s *Seat) Free(p uintptr) error {
	if p == 0 {
		return nil
	}
	return s.on(func() error { return s.r.check(s.r.free(p), "hipFree") })
}

// Write copies b to the GPU.
func (s *Seat) Write(p uintptr, b []byte) error {
	if len(b) == 0 {
		return nil
	}
	return s.on(func() error {
		return s.r.check(s.r.toDevice(p, unsafe.Pointer(&b[0]), uint64(len(b)), hostToDevice), "hipMemcpy")
	})
}

// Read copies from the GPU into b.
func (s *Seat) Read(b []byte, p uintptr) error {
	if len(b) == 0 {
		return nil
	}
	return s.on(func() error {
		return s.r.check(s.r.toHost(unsafe.Pointer(&b[0]), p, uint64(len(b)), deviceToHost), "hipMemcpy")
	})
}

// Close gives the stream back.
func (s *Seat) Close() error {
	return s.on(func() error { return s.r.check(s.r.streamDestroy(s.stream), "hipStreamDestroy") })
}
