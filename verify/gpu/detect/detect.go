// Package detect says what GPUs and network cards a machine has, which lie
// near each other, and whether a measurement on them can be trusted.
package detect

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"planner/hardware/unit"
	"planner/verify/gpu/nvml"
)

// NIC is a port of a network card that can do RDMA.
type NIC struct {
	Name  string // mlx5_0
	Port  int
	Bus   string              // PCI address
	Rate  unit.BytesPerSecond // of the link
	Layer string              // InfiniBand or Ethernet
	Up    bool
	Node  int // NUMA node, -1 unknown
	path  string
}

// NICs reads the ports under root, which is /sys but for tests. A machine
// without any has none, and no error.
func NICs(root string) ([]NIC, error) {
	ports, err := filepath.Glob(filepath.Join(root, "class/infiniband/*/ports/*"))
	if err != nil {
		return nil, err
	}
	var all []NIC
	for _, p := range ports {
		n, err := readNIC(p)
		if err != nil {
			return nil, err
		}
		all = append(all, n)
	}
	return all, nil
}

func readNIC(port string) (n NIC, err error) {
	card := filepath.Dir(filepath.Dir(port))
	n = NIC{Name: filepath.Base(card), Layer: read(port, "link_layer"), Up: strings.HasSuffix(read(port, "state"), "ACTIVE"),
		Node: node(filepath.Join(card, "device"))}
	if n.Port, err = strconv.Atoi(filepath.Base(port)); err != nil {
		return n, fmt.Errorf("%s: not a port: want a number", port)
	}
	if n.path, err = filepath.EvalSymlinks(filepath.Join(card, "device")); err == nil {
		n.Bus = filepath.Base(n.path)
	}
	n.Rate, err = rate(read(port, "rate"))
	return n, err
}

// rate reads "400 Gb/sec (4X NDR)"; nothing is 0.
func rate(s string) (unit.BytesPerSecond, error) {
	word, _, _ := strings.Cut(s, " ")
	if word == "" {
		return 0, nil
	}
	gb, err := strconv.ParseFloat(word, 64)
	if err != nil || gb < 0 || gb > 1e6 {
		return 0, fmt.Errorf("rate %q: not a rate: want a number of Gb/sec", s)
	}
	return unit.BytesPerSecond(gb * 1e9 / 8), nil
}

func read(dir, file string) string {
	b, err := os.ReadFile(filepath.Join(dir, file))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

func node(device string) int {
	n, err := strconv.Atoi(read(device, "numa_node"))
	if err != nil {
		return -1
	}
	return n
}

// Near returns the NICs that are up and share most of the way through the PCI
// tree with the GPU at bus: the same switch, else the same host bridge, else
// the same NUMA node.
func Near(root, bus string, nics []NIC) []NIC {
	device := filepath.Join(root, "bus/pci/devices", bus)
	path, err := filepath.EvalSymlinks(device)
	if err != nil {
		return nil
	}
	best := 0
	var near []NIC
	for _, n := range nics {
		d := shared(path, n.path)
		if d == 0 && n.Node >= 0 && n.Node == node(device) {
			d = 1
		}
		if !n.Up || d == 0 || d < best {
			continue
		}
		if d > best {
			near, best = nil, d
		}
		near = append(near, n)
	}
	return near
}

// shared counts the PCI bridges that two devices have in common, and one for
// the root they hang on; 0 if there is no such root.
func shared(a, b string) int {
	x, y := bridges(a), bridges(b)
	n := 0
	for n < min(len(x), len(y)) && x[n] == y[n] {
		n++
	}
	if n == 0 {
		return 0
	}
	return n + 1
}

// bridges returns the parts of a path from the PCI root on, without the device.
func bridges(path string) []string {
	parts := strings.Split(filepath.Dir(path), "/")
	i := slices.IndexFunc(parts, func(p string) bool { return strings.HasPrefix(p, "pci") })
	if i < 0 {
		return nil
	}
	return parts[i:]
}

// Doubts says what speaks against a measurement on GPUs, from their states
// before and after it: one line each.
func Doubts(before, after []nvml.State) (all []string) {
	for _, s := range before {
		if s.Processes > 0 {
			all = append(all, fmt.Sprintf("GPU %d: shared: %d other processes compute on it", s.Index, s.Processes))
		}
		if s.Busy > 10 {
			all = append(all, fmt.Sprintf("GPU %d: busy before the start: %d %% of the time", s.Index, s.Busy))
		}
		if s.MIG {
			all = append(all, fmt.Sprintf("GPU %d: in MIG mode: a part of the GPU is measured", s.Index))
		}
	}
	for _, s := range after {
		if len(s.Slowed) > 0 {
			all = append(all, fmt.Sprintf("GPU %d: throttled at %d of %d MHz, %d C: %s", s.Index, s.ClockMHz, s.MaxClockMHz, s.Celsius,
				strings.Join(s.Slowed, ", ")))
		}
	}
	return all
}
