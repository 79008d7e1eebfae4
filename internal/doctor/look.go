package doctor

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"planner/verify/launch"
)

// system is where the files of a machine lie, and the environment of the
// process.
type system struct {
	root   string
	getenv func(string) string
}

func (s system) path(file string) string { return filepath.Join(s.root, file) }

func (s system) glob(pattern string) []string {
	files, _ := filepath.Glob(s.path(pattern))
	return files
}

// field returns the value of the first "key : value" line of a file of /proc.
func (s system) field(file, key string) string {
	text, _ := os.ReadFile(s.path(file))
	for line := range strings.Lines(string(text)) {
		if k, v, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(k) == key {
			return strings.TrimSpace(v)
		}
	}
	return ""
}

func kilobytes(text string) int64 {
	n, _ := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(text, "kB")), 10, 64)
	return n << 10
}

// gpus lists the cards by the driver's own files, then any PCI device of
// NVIDIA or AMD that is a display or 3D controller.
func (s system) gpus() []string {
	var out []string
	for _, f := range s.glob("proc/driver/nvidia/gpus/*/information") {
		out = append(out, system{}.field(f, "Model"))
	}
	if len(out) > 0 {
		return out
	}
	for _, d := range s.glob("sys/bus/pci/devices/*") {
		class, vendor := line(filepath.Join(d, "class")), line(filepath.Join(d, "vendor"))
		if !strings.HasPrefix(class, "0x0300") && !strings.HasPrefix(class, "0x0302") && !strings.HasPrefix(class, "0x1200") {
			continue
		}
		switch vendor {
		case "0x10de":
			out = append(out, "NVIDIA device "+line(filepath.Join(d, "device"))+" (no driver)")
		case "0x1002":
			out = append(out, "AMD device "+line(filepath.Join(d, "device")))
		}
	}
	return out
}

func line(file string) string {
	text, _ := os.ReadFile(file)
	return strings.TrimSpace(string(text))
}

// driver returns the version that the kernel module states.
func (s system) driver() string {
	for _, w := range strings.Fields(line(s.path("proc/driver/nvidia/version"))) {
		if strings.Count(w, ".") >= 1 && w[0] >= '0' && w[0] <= '9' {
			return w
		}
	}
	return ""
}

// folders are where the dynamic linker of common distributions looks.
var folders = []string{"usr/lib/x86_64-linux-gnu", "usr/lib/aarch64-linux-gnu", "usr/lib64", "usr/lib", "usr/local/lib",
	"usr/local/cuda/lib64", "usr/local/nvidia/lib64", "opt/rocm/lib"}

// libraries returns the paths at which one of the names is found.
func (s system) libraries(names ...string) []string {
	var out []string
	search := filepath.SplitList(s.getenv("LD_LIBRARY_PATH"))
	for _, f := range folders {
		search = append(search, s.path(f))
	}
	for _, dir := range search {
		for _, n := range names {
			p := filepath.Join(dir, n)
			if _, err := os.Stat(p); err == nil && dir != "" && !slices.Contains(out, p) {
				out = append(out, p)
			}
		}
	}
	return out
}

func (s system) nics() []NIC {
	var out []NIC
	for _, p := range s.glob("sys/class/infiniband/*/ports/*/rate") {
		out = append(out, NIC{filepath.Base(filepath.Dir(filepath.Dir(filepath.Dir(p)))), "rdma", line(p)})
	}
	for _, l := range s.glob("sys/class/net/*") {
		name := filepath.Base(l)
		if line(filepath.Join(l, "operstate")) == "down" || name == "lo" {
			continue
		}
		speed := line(filepath.Join(l, "speed"))
		if n, err := strconv.Atoi(speed); err == nil && n > 0 {
			speed = strconv.Itoa(n) + " Mb/s"
		} else {
			speed = "speed not stated"
		}
		out = append(out, NIC{name, "ethernet", speed})
	}
	return out
}

// launcher says which launcher's environment the process has.
func (s system) launcher() string {
	p, ok, err := launch.FromEnv(s.getenv)
	switch {
	case err != nil:
		return "incomplete: " + err.Error()
	case !ok:
		return "none: planner starts its own ranks"
	}
	return "rank " + strconv.Itoa(p.Rank) + " of " + strconv.Itoa(p.Size) + ", by " + p.Source
}
