package doctor

import (
	"fmt"
	"io"
	"strings"
)

// Render writes a report for people.
func Render(w io.Writer, r *Report) {
	line := func(name, format string, args ...any) {
		fmt.Fprintf(w, "%-10s %s\n", name, fmt.Sprintf(format, args...))
	}
	line("machine", "%s/%s · %d cores · %s", r.OS, r.Arch, r.Cores, or(r.CPU, "processor not named"))
	line("vector", "%s", r.Vector)
	line("memory", "%.1f GiB, %.1f available · %.1f GiB in /dev/shm", gib(r.Memory), gib(r.Free), gib(r.Shared))
	line("GPUs", "%s", list(r.GPUs))
	line("driver", "%s", or(r.Driver, "none"))
	line("CUDA", "%s", list(r.CUDA))
	line("NCCL", "%s", list(r.NCCL))
	for _, n := range r.NICs {
		line("NIC", "%s · %s · %s", n.Name, n.Kind, n.Speed)
	}
	line("launcher", "%s", r.Launcher)
	line("worker", "%s", or(r.Worker, "planner-gpu not found"))
	line("back end", "%s: %s", r.Backend, r.Why)
}

func gib(b int64) float64 { return float64(b) / (1 << 30) }

func or(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

func list(items []string) string { return or(strings.Join(items, ", "), "none") }
