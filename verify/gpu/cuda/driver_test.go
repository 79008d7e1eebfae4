package cuda

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"planner/costmodel/collective"
	"planner/costmodel/collective/steps"
	"planner/verify/bench"
	"planner/verify/gpu/dl"
	"planner/verify/gpu/fakes"
	"planner/verify/reduce"
)

func TestAbsentOldOrEmpty(t *testing.T) {
	path, reset := fakes.Driver(t)
	for _, tt := range []struct {
		name string
		c    fakes.CUDA
		path string
		want string
	}{
		{"absent", fakes.CUDA{}, "libcuda.so.none", "want the NVIDIA driver"},
		{"old", fakes.CUDA{Version: 8000}, path, "CUDA 8.0: too old: want a driver of CUDA 9.0 or newer"},
		{"no GPU", fakes.CUDA{Init: 100}, path, "CUDA_ERROR_NO_DEVICE: the driver sees no GPU"},
	} {
		reset(tt.c)
		_, err := Open(tt.path)
		if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v: want one line with %q", tt.name, err, tt.want)
		}
	}
}

// TestNotADriver: a library without the functions is an error, no crash.
func TestNotADriver(t *testing.T) {
	_, err := Open(fakes.Build(t, "ptx/c/kernels.c"))
	if err == nil || !strings.Contains(err.Error(), "no function cuInit") {
		t.Errorf("%v: want a line that names cuInit", err)
	}
}

// TestRealDriver binds every function of the vendor's library where there is
// one. Without a GPU it must say so.
func TestRealDriver(t *testing.T) {
	lib, err := dl.Open("", "libcuda.so.1")
	if err != nil {
		t.Skip("no libcuda.so.1")
	}
	var all table
	for _, b := range all.bindings() {
		b.Optional = false
		if err := lib.Bind([]dl.Binding{b}); err != nil {
			t.Error(err)
		}
	}
	if d, err := Open(); err != nil {
		if !strings.Contains(err.Error(), "CUDA_ERROR_") {
			t.Errorf("%v: want the driver's error", err)
		}
	} else {
		t.Logf("driver of CUDA %d", d.Version)
	}
}

func TestDevices(t *testing.T) {
	path, reset := fakes.Driver(t)
	reset(fakes.CUDA{Devices: 2})
	d, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	all, err := d.Devices()
	if err != nil {
		t.Fatal(err)
	}
	want := Device{Ordinal: 1, Name: "Fake GPU 1", Capability: 90, Multiprocessors: 132, Memory: 80 << 30, Bus: "0000:19:00.0"}
	if len(all) != 2 || all[1] != want {
		t.Errorf("%+v: want %+v second", all, want)
	}
	if _, err := NewGroup(d, []int{0, 7}); err == nil || !strings.Contains(err.Error(), "GPU 7 of rank 1: there is none: want 0 to 1") {
		t.Errorf("rank on a GPU that is not there: %v", err)
	}
}

// TestWaitsMatter takes waits out of a plan and expects wrong results: the
// fake driver must be able to find a missing one.
func TestWaitsMatter(t *testing.T) {
	path, reset := fakes.Driver(t)
	for _, v := range []verb{awaitReady, awaitTaken} {
		found := false
		for seed := range 20 {
			reset(fakes.CUDA{Devices: 4, Seed: seed})
			found = found || wrongWithout(t, path, v)
		}
		if !found {
			t.Errorf("without action %d every result was right in 20 orders", v)
		}
	}
}

func wrongWithout(t *testing.T, path string, v verb) bool {
	g := group(t, path, []int{0, 0, 1, 1})
	c := Call{Spec: steps.Spec{Op: collective.ReduceScatter, Alg: steps.Ring, Ranks: 4, Count: 4096, Chunk: 100}, Type: reduce.F32}
	p, err := compile(c.Spec)
	if err != nil {
		t.Fatal(err)
	}
	p.actions = slices.DeleteFunc(p.actions, func(a action) bool { return a.verb == v })
	g.plans[c.Spec] = p
	d := bench.NewData(c.Spec, c.Type, c.Reduction)
	defer buffers(t, g, &c, d, false)()
	if err := run(g, c, false); err != nil {
		t.Fatal(err)
	}
	wrong := 0
	for r := range c.Ranks {
		_, n := steps.Lens(c.Spec, r)
		out := make([]byte, 4*n)
		if err := g.Read(r, out, c.Out[r]); err != nil {
			t.Fatal(err)
		}
		wrong += d.Wrong(out, r)
	}
	return wrong > 0
}

// TestIllegalAddress: a kernel that fails is an error that names the rank.
func TestIllegalAddress(t *testing.T) {
	path, reset := fakes.Driver(t)
	reset(fakes.CUDA{Devices: 2})
	g := group(t, path, []int{0, 1})
	in, out := []Pointer{64, 64}, []Pointer{64, 64}
	err := g.Do(Call{Spec: steps.Spec{Op: collective.AllReduce, Alg: steps.Ring, Ranks: 2, Count: 8}, In: in, Out: out})
	if err == nil {
		err = g.Wait()
	}
	if err == nil {
		t.Fatal("no error")
	}
	reset(fakes.CUDA{Devices: 2})
}

func TestCallsThatCannotBe(t *testing.T) {
	path, reset := fakes.Driver(t)
	reset(fakes.CUDA{Devices: 2})
	g := group(t, path, []int{0, 1})
	s := steps.Spec{Op: collective.AllReduce, Alg: steps.Ring, Ranks: 2, Count: 8}
	both := []Pointer{256, 256}
	for want, c := range map[string]Call{
		"no kernel on GPUs: want f32, f16 or bf16": {Spec: s, Type: reduce.F64, In: both, Out: both},
		"rank 1: no buffer":                        {Spec: s, In: []Pointer{256, 0}, Out: both},
		"want 2 of each, the group's":              {Spec: s, In: both[:1], Out: both},
	} {
		if err := g.Do(c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: want %q", err, want)
		}
	}
}

func TestIPCHandlesByValue(t *testing.T) {
	path, reset := fakes.Driver(t)
	reset(fakes.CUDA{Devices: 1})
	g := group(t, path, []int{0})
	p, err := g.Alloc(0, 100)
	if err != nil {
		t.Fatal(err)
	}
	err = g.on(func() error {
		if err := g.enter(g.ranks[0].gpu); err != nil {
			return err
		}
		var h IPCHandle
		if r := g.d.ipcMem(&h, p); r != 0 {
			t.Fatalf("no handle: %v", r)
		}
		var q Pointer
		if r := g.d.ipcOpenMem(&q, h, openLazily); r != 0 || q != p {
			t.Errorf("opened at %x: want %x (%v)", q, p, r)
		}
		h.B[63]++
		if r := g.d.ipcOpenMem(&q, h, openLazily); r == 0 {
			t.Error("a handle with its last byte changed was opened")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// BenchmarkIssue is what one AllReduce over 8 ranks costs on the host, on a
// driver that does nothing but queue: with and without a graph.
func BenchmarkIssue(b *testing.B) {
	if _, err := exec.LookPath("gcc"); err != nil {
		b.Skip("no gcc")
	}
	path, reset := fakes.Driver(b)
	reset(fakes.CUDA{Devices: 1})
	d, err := Open(path)
	if err != nil {
		b.Fatal(err)
	}
	g, err := NewGroup(d, make([]int, 8))
	if err != nil {
		b.Fatal(err)
	}
	c := Call{Spec: steps.Spec{Op: collective.AllReduce, Alg: steps.TwoShot, Ranks: 8, Count: 2048}, Type: reduce.F32}
	for r := range 8 {
		p, err := g.Alloc(r, 8192)
		if err != nil {
			b.Fatal(err)
		}
		c.In, c.Out = append(c.In, p), append(c.Out, p)
	}
	b.Run("calls", func(b *testing.B) {
		for b.Loop() {
			if err := g.Do(c); err != nil {
				b.Fatal(err)
			}
		}
	})
	x, err := g.Capture(c)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("graph", func(b *testing.B) {
		for b.Loop() {
			if err := x.Launch(); err != nil {
				b.Fatal(err)
			}
		}
	})
}
