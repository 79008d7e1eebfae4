package collective

import (
	"planner/hardware"
	"planner/hardware/unit"
)

// Fabric prices calls on one cluster. It is built once, read by any number of
// goroutines, and does not allocate.
type Fabric struct {
	protocol Protocol
	inner    leg
	outer    []leg // by tier; outer[0] is unused
}

// leg is one link with its rates worked out, seconds and bytes per second.
type leg struct {
	base, hop, fill, knee   float64
	reach, tree, p2p, pairs float64
	switched                float64 // rate of in-switch reduction; 0 without
	switchStep              float64
}

// NewFabric works out the rates of every tier of a cluster. A tier whose kind
// the constants lack takes those of the nearest: InfiniBand outside, PCIe
// inside.
func NewFabric(c *hardware.Cluster, k *Constants) *Fabric {
	f := &Fabric{protocol: k.Protocol, outer: make([]leg, len(c.Tiers))}
	arch := ""
	if c.GPU != nil {
		arch = c.GPU.Arch
	}
	var narrowest unit.BytesPerSecond
	for i, t := range c.Tiers {
		link, ok := k.Link(t.Kind, arch)
		if !ok {
			link, _ = k.Link(nearest(i), arch)
		}
		if i == 0 {
			f.inner = newLeg(link, t.Bandwidth)
			continue
		}
		if narrowest == 0 || t.Bandwidth < narrowest {
			narrowest = t.Bandwidth
		}
		f.outer[i] = newLeg(link, narrowest)
	}
	return f
}

func nearest(tier int) hardware.LinkKind {
	if tier == 0 {
		return hardware.PCIe
	}
	return hardware.InfiniBand
}

func newLeg(l Link, nominal unit.BytesPerSecond) leg {
	b := float64(nominal)
	return leg{
		base: float64(l.Base), hop: float64(l.Hop), fill: float64(l.Fill), knee: l.Knee,
		reach: b * l.Reach, tree: b * l.Tree, p2p: b * l.P2P, pairs: b * l.Pairs,
		switched: b * l.Switch, switchStep: float64(l.SwitchStep),
	}
}
