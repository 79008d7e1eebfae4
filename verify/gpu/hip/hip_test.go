package hip

import (
	"strings"
	"testing"

	"planner/verify/gpu/dl"
	"planner/verify/gpu/fakes"
)

func TestSeat(t *testing.T) {
	path, reset := fakes.Driver(t)
	reset(fakes.CUDA{Devices: 2})
	r, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	s, err := r.NewSeat(1)
	if err != nil || s.Name != "Fake GPU 1" || s.Bus != "0000:19:00.0" {
		t.Fatalf("%+v, %v", s, err)
	}
	p, err := s.Alloc(5)
	if err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 5)
	for _, f := range []func() error{func() error { return s.Write(p, []byte("hello")) }, func() error { return s.Read(got, p) },
		func() error { return s.Free(p) }, s.Close} {
		if err := f(); err != nil {
			t.Fatal(err)
		}
	}
	if string(got) != "hello" {
		t.Errorf("%q came back", got)
	}
	if _, err := r.NewSeat(2); err == nil || err.Error() != "GPU 2: there is none: want 0 to 1" {
		t.Error(err)
	}
}

func TestAbsentOrEmpty(t *testing.T) {
	if _, err := Open("libamdhip64.so.none"); err == nil || !strings.Contains(err.Error(), "want HIP, as ROCm brings it") {
		t.Error(err)
	}
	path, reset := fakes.Driver(t)
	reset(fakes.CUDA{})
	if _, err := Open(path); err == nil || !strings.Contains(err.Error(), "HIP sees no GPU") {
		t.Error(err)
	}
}

// TestRealLibrary binds every function of the vendor's library where there is
// one.
func TestRealLibrary(t *testing.T) {
	lib, err := dl.Open("", "libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5")
	if err != nil {
		t.Skip("no libamdhip64")
	}
	var all table
	if err := lib.Bind(all.bindings()); err != nil {
		t.Error(err)
	}
}
