package detect

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"planner/verify/gpu/nvml"
)

// machine builds a part of /sys as Linux lays it: two switches with a GPU and
// a NIC each, and a third NIC that is down.
func machine(t *testing.T) string {
	root := t.TempDir()
	write := func(path, text string) {
		t.Helper()
		p := filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	link := func(to, from string) {
		t.Helper()
		p := filepath.Join(root, from)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(filepath.Join(root, to), p); err != nil {
			t.Fatal(err)
		}
	}
	for _, d := range []struct{ path, nic, state, rate, node string }{
		{"devices/pci0000:15/0000:15:01.0/0000:16:00.0/0000:18:00.0", "", "", "", "0"},
		{"devices/pci0000:15/0000:15:01.0/0000:16:00.0/0000:19:00.0", "mlx5_0", "4: ACTIVE", "400 Gb/sec (4X NDR)", "0"},
		{"devices/pci0000:37/0000:37:01.0/0000:38:00.0/0000:3a:00.0", "", "", "", "1"},
		{"devices/pci0000:37/0000:37:01.0/0000:38:00.0/0000:3b:00.0", "mlx5_1", "4: ACTIVE", "400 Gb/sec (4X NDR)", "1"},
		{"devices/pci0000:37/0000:37:01.0/0000:38:00.0/0000:3c:00.0", "mlx5_2", "1: DOWN", "40 Gb/sec (4X QDR)", "1"},
	} {
		write(d.path+"/numa_node", d.node)
		link(d.path, "bus/pci/devices/"+filepath.Base(d.path))
		if d.nic == "" {
			continue
		}
		port := "class/infiniband/" + d.nic + "/ports/1/"
		write(port+"state", d.state)
		write(port+"rate", d.rate)
		write(port+"link_layer", "InfiniBand")
		link(d.path, "class/infiniband/"+d.nic+"/device")
	}
	return root
}

func TestNICs(t *testing.T) {
	root := machine(t)
	nics, err := NICs(root)
	if err != nil {
		t.Fatal(err)
	}
	if len(nics) != 3 || nics[0].Name != "mlx5_0" || nics[0].Rate != 50e9 || !nics[0].Up || nics[0].Node != 0 ||
		nics[0].Bus != "0000:19:00.0" || nics[0].Layer != "InfiniBand" || nics[2].Up {
		t.Errorf("%+v", nics)
	}
	for bus, want := range map[string]string{"0000:18:00.0": "mlx5_0", "0000:3a:00.0": "mlx5_1"} {
		if near := Near(root, bus, nics); len(near) != 1 || near[0].Name != want {
			t.Errorf("near %s: %+v: want %s", bus, near, want)
		}
	}
	if near := Near(root, "0000:99:00.0", nics); near != nil {
		t.Errorf("near a GPU that is not there: %+v", near)
	}
}

func TestNoNICs(t *testing.T) {
	if nics, err := NICs(t.TempDir()); err != nil || len(nics) != 0 {
		t.Errorf("%v, %v: want none", nics, err)
	}
}

func TestRate(t *testing.T) {
	for s, want := range map[string]float64{"400 Gb/sec (4X NDR)": 50e9, "2.5 Gb/sec (1X SDR)": 312.5e6, "": 0} {
		if r, err := rate(s); err != nil || float64(r) != want {
			t.Errorf("%q: %v, %v: want %v", s, r, err, want)
		}
	}
	if _, err := rate("fast"); err == nil {
		t.Error("a rate that is not a number")
	}
}

func FuzzRate(f *testing.F) {
	f.Add("400 Gb/sec (4X NDR)")
	f.Fuzz(func(t *testing.T, s string) {
		if r, err := rate(s); err == nil && !(r >= 0) {
			t.Errorf("%q: %v", s, r)
		}
	})
}

func TestDoubts(t *testing.T) {
	quiet := nvml.State{Index: 0, Processes: 0, Busy: 0, ClockMHz: 1980, MaxClockMHz: 1980}
	if d := Doubts([]nvml.State{quiet}, []nvml.State{quiet}); d != nil {
		t.Errorf("%q: want none", d)
	}
	bad := nvml.State{Index: 3, Processes: 2, Busy: 97, MIG: true, ClockMHz: 1200, MaxClockMHz: 1980, Celsius: 91, Slowed: []string{"power cap"}}
	all := strings.Join(Doubts([]nvml.State{bad}, []nvml.State{bad}), "\n")
	for _, want := range []string{"GPU 3: shared: 2 other processes", "busy before the start: 97 %", "MIG", "throttled at 1200 of 1980 MHz, 91 C: power cap"} {
		if !strings.Contains(all, want) {
			t.Errorf("no %q in %s", want, all)
		}
	}
}
