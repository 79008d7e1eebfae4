// Package doctor looks at what a machine offers for verifying plans: cores,
// memory, GPUs, NICs, driver, NCCL, and the launcher of the process.
package doctor

import (
	"context"
	"os"
	"runtime"

	"golang.org/x/sys/cpu"

	"planner/verify/gpu/start"
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
func Examine(ctx context.Context) *Report {
	s := system{"/", os.Getenv}
	r := s.examine()
	if path, err := start.Find(); err == nil {
		r.Worker = path
	}
	r.Backend, r.Why = r.choose(ctx)
	return r
}

// examine fills in all but the back end.
func (s system) examine() *Report {
	r := &Report{OS: runtime.GOOS, Arch: runtime.GOARCH, Cores: runtime.NumCPU(), Vector: vector()}
	r.CPU = s.field("proc/cpuinfo", "model name")
	r.Memory = kilobytes(s.field("proc/meminfo", "MemTotal"))
	r.Free = kilobytes(s.field("proc/meminfo", "MemAvailable"))
	r.Shared = space(s.path("dev/shm"))
	r.GPUs = s.gpus()
	r.Driver = s.driver()
	r.CUDA = s.libraries("libcuda.so.1")
	r.NCCL = s.libraries("libnccl.so.2", "librccl.so.1", "librccl.so")
	r.NICs = s.nics()
	r.Launcher = s.launcher()
	return r
}

// choose names the back end that planner verify --backend auto uses, and says
// what a GPU back end still lacks here.
func (r *Report) choose(ctx context.Context) (backend, why string) {
	const host = "ranks are goroutines or processes of this machine, over links that --emulate shapes"
	switch {
	case len(r.GPUs) == 0:
		return "host", "no GPU: " + host
	case r.Worker == "":
		return "host", "a GPU, but no planner-gpu beside planner or in PATH: " + host
	}
	all, err := start.Backends(ctx, r.Worker)
	if err != nil {
		return "host", "planner-gpu: " + err.Error() + ": " + host
	}
	found, why, ok := start.Choose(all, start.Auto)
	if !ok {
		return "host", "GPUs, but none to use: " + why + ": " + host
	}
	return found.Backend, why + ": with --backend auto"
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
