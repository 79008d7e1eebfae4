package nvml

import (
	"reflect"
	"strings"
	"testing"
	"unsafe"

	"planner/verify/gpu/dl"
	"planner/verify/gpu/fakes"
)

func TestStates(t *testing.T) {
	l, err := Open(fakes.Build(t, "fakes/c/nvml.c"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := l.States()
	if err != nil {
		t.Fatal(err)
	}
	want := []State{
		{Index: 0, Name: "Fake GPU 0", Bus: "0000:18:00.0", Memory: 80 << 30, Used: 1 << 30, ClockMHz: 1200, MaxClockMHz: 1980,
			Celsius: 40, Watts: 350, NVLinks: 4},
		{Index: 1, Name: "Fake GPU 1", Bus: "0000:19:00.0", Memory: 80 << 30, Used: 1 << 30, ClockMHz: 1200, MaxClockMHz: 1980,
			Celsius: 91, Watts: -1, Busy: 97, Processes: 2, NVLinks: 4, MIG: true, Slowed: []string{"power cap", "software thermal slowdown"}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v\nwant %+v", got, want)
	}
	if l.Driver != "550.54.15" {
		t.Errorf("driver %q", l.Driver)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
}

func TestAbsent(t *testing.T) {
	_, err := Open("libnvidia-ml.so.none")
	if err == nil || !strings.Contains(err.Error(), "want the NVIDIA driver") || strings.Contains(err.Error(), "\n") {
		t.Errorf("%v: want one line", err)
	}
}

// TestStructs holds the sizes against nvml.h's.
func TestStructs(t *testing.T) {
	if n := unsafe.Sizeof(pci{}); n != 68 {
		t.Errorf("nvmlPciInfo_t has %d bytes: want 16 + 5·4 + 32", n)
	}
	if n := unsafe.Sizeof(memory{}); n != 24 {
		t.Errorf("nvmlMemory_t has %d bytes: want 24", n)
	}
}

// TestRealLibrary binds every function of the vendor's library where there is
// one.
func TestRealLibrary(t *testing.T) {
	lib, err := dl.Open("", "libnvidia-ml.so.1")
	if err != nil {
		t.Skip("no libnvidia-ml.so.1")
	}
	var all table
	if err := lib.Bind(all.bindings()); err != nil {
		t.Error(err)
	}
}
