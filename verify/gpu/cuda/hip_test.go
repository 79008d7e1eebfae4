package cuda

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"planner/verify/gpu/dl"
	"planner/verify/gpu/fakes"
	"planner/verify/reduce"
)

// kfd lays out what amdgpu tells of n MI300X beside a processor, at the fake's
// addresses.
func kfd(t *testing.T, n int) string {
	t.Helper()
	root := t.TempDir()
	put := func(node, text string) {
		dir := filepath.Join(root, "class/kfd/kfd/topology/nodes", node)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "properties"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	put("0", "cpu_cores_count 96\nsimd_count 0\nlocation_id 0\n")
	for i := range n {
		put(string(rune('1'+i)), "simd_count 1216\nsimd_per_cu 4\ngfx_target_version 90402\nlocation_id "+
			map[int]string{0: "6144", 1: "6400", 2: "6656", 3: "6912"}[i]+"\ndomain 0\n")
	}
	return root
}

// onAMD makes the fake a machine with AMD's GPUs.
func onAMD(t *testing.T, n int) *Driver {
	t.Helper()
	path, reset := fakes.Driver(t)
	reset(fakes.CUDA{Devices: n})
	old := sysfs
	sysfs = kfd(t, n)
	t.Cleanup(func() { sysfs = old })
	d, err := OpenHIP(path)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestHIPDevices(t *testing.T) {
	d := onAMD(t, 2)
	all, err := d.Devices()
	if err != nil || len(all) != 2 || all[1].Multiprocessors != 304 || all[1].Bus != "0000:19:00.0" || d.Title() != "HIP 6.2" {
		t.Fatalf("%+v %v %s", all, err, d.Title())
	}
	if n := readNode(sysfs, "0000:19:00.0"); n.arch != "gfx942" {
		t.Errorf("%+v: want gfx942", n)
	}
	if n := readNode(t.TempDir(), "0000:19:00.0"); n.arch != "" || n.units != fallbackUnits {
		t.Errorf("%+v: want nothing", n)
	}
}

// TestHIPExact: the engine's kernels on AMD's memory, streams and graphs.
func TestHIPExact(t *testing.T) {
	d := onAMD(t, 4)
	g, err := NewGroup(d, []int{0, 1, 2, 3})
	if err != nil {
		t.Fatal(err)
	}
	for _, graph := range []bool{false, true} {
		eachCall(4, func(c Call, inPlace bool) {
			if c.Type == reduce.BF16 {
				exactly(t, g, c, inPlace, graph)
			}
		})
	}
	if err := g.Close(); err != nil {
		t.Error(err)
	}
}

func TestHIPWithoutArchitecture(t *testing.T) {
	d := onAMD(t, 1)
	sysfs = t.TempDir()
	g, err := NewGroup(d, []int{0})
	if err != nil {
		t.Fatal(err)
	}
	p, err := g.Alloc(0, 64)
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Seat(0).Sum(reduce.F32, uintptr(p), uintptr(p), uintptr(p), 16); err == nil || !strings.Contains(err.Error(), "does not tell its architecture") {
		t.Error(err)
	}
}

func TestHIPAbsent(t *testing.T) {
	if _, err := OpenHIP("libamdhip64.so.none"); err == nil || !strings.Contains(err.Error(), "want HIP, as ROCm brings it") {
		t.Error(err)
	}
	path, reset := fakes.Driver(t)
	reset(fakes.CUDA{Devices: 0})
	if _, err := OpenHIP(path); err == nil || !strings.Contains(err.Error(), "HIP sees no GPU") {
		t.Error(err)
	}
}

// TestRealHIP binds every function of AMD's library where there is one, as
// Debian's libamdhip64-5 brings it: without a GPU it says so.
func TestRealHIP(t *testing.T) {
	for _, name := range []string{"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5"} {
		lib, err := dl.Open("", name)
		if err != nil {
			continue
		}
		d := &Driver{hip: &hip{}}
		if err := lib.Bind(d.hip.bindings(&d.table)); err != nil {
			t.Error(err)
		}
		var v int32
		if r := d.hip.version(&v); r != success {
			t.Errorf("version: %d", r)
		}
		_, err = OpenHIP(name)
		t.Logf("%s: version %d: %v", name, v, err)
		if err != nil && !strings.Contains(err.Error(), "HIP sees no GPU") {
			t.Error(err)
		}
		return
	}
	t.Skip("no libamdhip64")
}
