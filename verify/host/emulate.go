// Package host knows the machine that runs the engine: what its links, or the
// links that it emulates, are worth to a plan. It turns a shape into the
// profile that a plan is made with, measures links with a few messages, and
// fits profiles to what was measured.
package host

import (
	"math/rand/v2"

	"planner/costmodel/collective"
	"planner/hardware"
	"planner/hardware/unit"
	"planner/verify/transport"
)

// Arch is the architecture of ranks on a CPU.
const Arch = "host"

// Rates of one emulated rank. They are parameters of the emulation, not of the
// machine: compute is a delay. 100 GFLOP/s is a few cores of a server, and
// makes a step of a model of some million parameters last tenths of a second.
const (
	emulatedPeak   unit.FLOPS = 0.5e12
	emulatedMemory            = 100 * unit.GBps
	emulatedRAM               = 64 * unit.GiB
)

// Wake is how late a rank learns of a message, beyond the link's own delay,
// when ranks share cores: a futex wake-up and a run-queue slot (30 to 80 µs on
// a loaded 2-core AMD EPYC, 2026-11).
const Wake = 50 * unit.Microsecond

// openRate stands for a link whose rate a shape leaves to the machine.
const openRate = 4 * unit.GBps

// Rank is the accelerator that an emulated rank stands for.
func Rank() *hardware.Accelerator {
	a := &hardware.Accelerator{Name: "emulated", Title: "emulated rank", Arch: Arch, Memory: emulatedRAM, Usable: emulatedRAM,
		MemoryBandwidth: emulatedMemory, SMs: 1, PCIe: emulatedMemory, TF32: emulatedPeak}
	for p := range a.Peak {
		a.Peak[p] = emulatedPeak
	}
	return a
}

// Profile describes the cluster that s emulates, as a plan needs it: tiers of
// kind host inside a node and ethernet between nodes, whose fits hold one hop
// of a small message and full reach.
func Profile(s *transport.Shape) *hardware.Cluster {
	c := &hardware.Cluster{Name: "emulated", Title: "emulated cluster", Provider: "generic", GPU: Rank(), GPUs: s.Ranks(), PerNode: s.PerNode}
	inner := 0
	if s.Nodes > 1 {
		inner = s.PerNode
	}
	c.Tiers = []hardware.Tier{tier(hardware.Host, inner, s.Intra)}
	if s.Nodes == 1 {
		return c
	}
	out := tier(hardware.Ethernet, 0, s.Inter)
	out.Ports, out.PortRate = s.PerNode, out.Bandwidth
	if n := s.NICsPerNode; n > 0 && n < s.PerNode {
		out.NICs, out.Ports = n, n
		out.Bandwidth = out.Bandwidth.Times(float64(n) / float64(s.PerNode))
	}
	c.Tiers = append(c.Tiers, out)
	return c
}

func tier(kind hardware.LinkKind, ranks int, l transport.Link) hardware.Tier {
	t := hardware.Tier{Kind: kind, Ranks: ranks, Bandwidth: l.Bandwidth, Oversubscription: 1,
		Fit: hardware.LinkFit{Latency: l.Delay + Wake, Reach: 1, P2P: 1, Stated: hardware.StatedAll}}
	if t.Bandwidth == 0 {
		t.Bandwidth = openRate
	}
	return t
}

// Perturb returns c with every rate and latency off by up to share either way,
// as a data sheet is, the same for the same seed.
func Perturb(c *hardware.Cluster, share float64, seed uint64) *hardware.Cluster {
	r := rand.New(rand.NewPCG(seed, 0))
	off := func() float64 { return 1 + share*(2*r.Float64()-1) }
	out := *c
	out.Tiers = nil
	for _, t := range c.Tiers {
		k := off()
		t.Bandwidth, t.PortRate = t.Bandwidth.Times(k), t.PortRate.Times(k)
		t.Fit.Latency = t.Fit.Latency.Times(off())
		out.Tiers = append(out.Tiers, t)
	}
	return &out
}

// Constants returns what the fits of a cluster's tiers say of collectives on
// the engine: every step of a ring costs one latency, rings and pairs reach
// the fit's share, and streaming adds nothing, since a step is one message.
// The engine builds no double trees and has no switch.
func Constants(c *hardware.Cluster) *collective.Constants {
	k := &collective.Constants{Protocol: collective.Protocol{Pair: 1, TreeFill: 1, Crowd: 1}}
	for i := range c.Tiers {
		t := &c.Tiers[i]
		k.Links = append(k.Links, collective.Link{Name: string(constantsName(t.Kind)), Hop: t.Fit.Latency, Knee: 1,
			Reach: t.Fit.Reach, Tree: never, Pairs: t.Fit.Reach, P2P: t.Fit.P2P})
	}
	return k
}

// constantsName is the name under which constants of a kind are found.
func constantsName(k hardware.LinkKind) hardware.LinkKind {
	if k == hardware.RoCE {
		return hardware.InfiniBand
	}
	return k
}

// never is the share of a rate that rules an algorithm out.
const never = 1e-9
