package host

import (
	"runtime"
	"time"

	"planner/hardware"
	"planner/hardware/unit"
	"planner/verify/reduce"
	"planner/verify/transport"
)

// Machine is what this machine does for ranks that run on its processors.
type Machine struct {
	Cores  int
	Copy   unit.BytesPerSecond // of memory, one core, bytes copied
	Reduce unit.BytesPerSecond // dst += src in f32, one core, bytes of src
}

const (
	machineBytes  = 32 << 20 // beyond the last cache that one core of a server has to itself
	machineRounds = 5
)

// Measure times copies and reductions, a tenth of a second in all. Of several
// rounds the fastest counts: the others were disturbed.
func Measure() Machine {
	a, b := make([]byte, machineBytes), make([]byte, machineBytes)
	sum := reduce.Kernel(reduce.F32, reduce.Sum)
	return Machine{
		Cores:  runtime.NumCPU(),
		Copy:   fastest(func() { copy(a, b) }),
		Reduce: fastest(func() { sum(a, a, b) }),
	}
}

func fastest(f func()) unit.BytesPerSecond {
	best := time.Duration(1<<63 - 1)
	for range machineRounds {
		begin := time.Now()
		f()
		best = min(best, time.Since(begin))
	}
	return unit.BytesPerSecond(machineBytes / max(1e-9, best.Seconds()))
}

// Ranks returns how many ranks this machine is taken for: one a core, at least
// 4, for two have few layouts, and at most 8.
func (m Machine) Ranks() int { return min(8, max(4, m.Cores&^1)) }

// Link is a kind of link as it was measured: see replay.Probe.
type Link struct {
	Latency unit.Seconds
	Shared  unit.BytesPerSecond
}

// Cluster describes this machine as a node of ranks whose links are as
// measured.
func (m Machine) Cluster(ranks int, l Link) *hardware.Cluster {
	c := Profile(&transport.Shape{Nodes: 1, PerNode: ranks, Intra: transport.Link{Bandwidth: l.Shared}})
	c.Name, c.Title = "host", "this machine"
	c.Tiers[0].Fit.Latency = l.Latency
	return c
}

// Cores returns the processors that a process may use.
func Cores() int { return runtime.NumCPU() }
