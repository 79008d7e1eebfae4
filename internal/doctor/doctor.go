// Package doctor looks at what a machine offers for verifying plans: cores,
// memory, GPUs, NICs, driver, NCCL, and the launcher of the process.
package doctor

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/cpu"

	"planner/verify/launch"
)

// Report is what was found.
type Report struct {
	OS       string   `json:"os"`
	Arch     string   `json:"arch"`
	Cores    int      `json:"cores"`
	CPU      string   `json:"cpu"`
	Vector   string   `json:"vector"` // instructions of the reduction kernels
	Memory   int64    `json:"memory_bytes"`
	Free     int64    `json:"memory_available_bytes"`
	Shared   int64    `json:"shared_memory_bytes"` // of /dev/shm; 0: none
	GPUs     []string `json:"gpus"`
	Driver   string   `json:"nvidia_driver"`
	CUDA     []string `json:"cuda_libraries"`
	NCCL     []string `json:"nccl_libraries"`
	NICs     []NIC    `json:"nics"`
	Launcher string   `json:"launcher"`
	Worker   string   `json:"gpu_worker"` // path of planner-gpu
	Backend  string   `json:"backend"`
	Why      string   `json:"why"`
}

// NIC is a network interface or an InfiniBand port.
type NIC struct {
	Name  string `json:"name"`
	Kind  string `json:"kind"` // ethernet or rdma
	Speed string `json:"speed"`
}

// Examine looks at this machine.
func Examine() *Report {
	r := &Report{OS: runtime.GOOS, Arch: runtime.GOARCH, Cores: runtime.NumCPU(), Vector: vector()}
	r.CPU = field("/proc/cpuinfo", "model name")
	r.Memory = kilobytes(field("/proc/meminfo", "MemTotal"))
	r.Free = kilobytes(field("/proc/meminfo", "MemAvailable"))
	r.Shared = space("/dev/shm")
	r.GPUs = gpus()
	r.Driver = driver()
	r.CUDA = libraries("libcuda.so.1")
	r.NCCL = libraries("libnccl.so.2", "librccl.so.1", "librccl.so")
	r.NICs = nics()
	r.Launcher = launcher()
	r.Worker = worker()
	r.Backend, r.Why = r.choose()
	return r
}

// choose names the back end that planner verify uses, and says what a GPU back
// end still lacks here.
func (r *Report) choose() (backend, why string) {
	const host = "ranks are goroutines of this machine, over links that --emulate shapes"
	switch {
	case len(r.GPUs) == 0:
		return "host", "no GPU: " + host
	case len(r.CUDA) == 0:
		return "host", "a GPU, but no libcuda.so.1, which the driver brings: " + host
	case r.Worker == "":
		return "host", "a GPU, but no planner-gpu beside planner or in PATH: " + host
	}
	return "host", "planner verify replays on the host engine; planner-gpu runs collectives on the GPUs: " + host
}

func vector() string {
	switch {
	case cpu.X86.HasAVX2 && cpu.X86.HasFMA:
		return "AVX2, F16C"
	case cpu.ARM64.HasASIMD:
		return "NEON"
	}
	return "none: the reductions run in Go"
}

// field returns the value of the first "key : value" line of a file of /proc.
func field(file, key string) string {
	text, _ := os.ReadFile(file)
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
func gpus() []string {
	var out []string
	files, _ := filepath.Glob("/proc/driver/nvidia/gpus/*/information")
	for _, f := range files {
		out = append(out, field(f, "Model"))
	}
	if len(out) > 0 {
		return out
	}
	devices, _ := filepath.Glob("/sys/bus/pci/devices/*")
	for _, d := range devices {
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
func driver() string {
	for _, w := range strings.Fields(line("/proc/driver/nvidia/version")) {
		if strings.Count(w, ".") >= 1 && w[0] >= '0' && w[0] <= '9' {
			return w
		}
	}
	return ""
}

// folders are where the dynamic linker of common distributions looks.
var folders = []string{"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib", "/usr/local/lib",
	"/usr/local/cuda/lib64", "/usr/local/nvidia/lib64", "/opt/rocm/lib"}

// libraries returns the paths at which one of the names is found.
func libraries(names ...string) []string {
	var out []string
	search := append(filepath.SplitList(os.Getenv("LD_LIBRARY_PATH")), folders...)
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

func nics() []NIC {
	var out []NIC
	ports, _ := filepath.Glob("/sys/class/infiniband/*/ports/*/rate")
	for _, p := range ports {
		out = append(out, NIC{filepath.Base(filepath.Dir(filepath.Dir(filepath.Dir(p)))), "rdma", line(p)})
	}
	links, _ := filepath.Glob("/sys/class/net/*")
	for _, l := range links {
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
func launcher() string {
	p, ok, err := launch.FromEnv(os.Getenv)
	switch {
	case err != nil:
		return "incomplete: " + err.Error()
	case !ok:
		return "none: planner starts its own ranks"
	}
	return "rank " + strconv.Itoa(p.Rank) + " of " + strconv.Itoa(p.Size) + ", by " + p.Source
}

// worker returns the path of planner-gpu, beside this program or in PATH.
func worker() string {
	if self, err := os.Executable(); err == nil {
		p := filepath.Join(filepath.Dir(self), "planner-gpu")
		if _, err := os.Stat(p); err == nil {
			return p
		}
	}
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		p := filepath.Join(dir, "planner-gpu")
		if _, err := os.Stat(p); err == nil {
			return p
		}
	}
	return ""
}
