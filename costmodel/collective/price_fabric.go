package collective

import (
	"planner/hardware"
	"planner/hardware/unit"
)

// Fabric prices calls on one cluster. It is built once, read by any number of
// goroutines, and does not allocate.
type Fabric struct {
	protocol Protocol
	legs     []leg // by tier; a tier outside has the narrowest rate on the way
	scaleUp  int   // index of the outermost tier that needs no NIC
	ranks    int   // of one domain of it; 0: the whole cluster
}

// leg is one link with its rates worked out: seconds and bytes per second.
type leg struct {
	base, hop, fill, knee   float64
	gap                     float64 // of hop, 0 to 1
	meet                    float64 // seconds a step from some size of its message
	pair, crowd             float64 // as in Protocol
	reach, tree, p2p, pairs float64
	lane                    float64 // rate of one channel of a Send; 0: not limited
	switched, switchStep    float64 // rate 0: the switch does not reduce
	peer                    float64 // share of the rate that one peer can be sent; 0: all
	shared                  float64 // rate of the path between the halves of a domain; 0: none
	half                    int     // ranks of one half
	ports                   float64 // what one rank can have of shared NICs, in shares; 1: its share
}

// NewFabric works out the rates of every tier of a cluster. A tier whose kind
// the constants lack takes those of the nearest: InfiniBand between nodes,
// PCIe inside.
func NewFabric(c *hardware.Cluster, k *Constants) *Fabric {
	f := &Fabric{
		protocol: k.Protocol, legs: make([]leg, len(c.Tiers)),
		scaleUp: c.ScaleUp, ranks: c.Tiers[c.ScaleUp].Ranks,
	}
	arch := ""
	if c.GPU != nil {
		arch = c.GPU.Arch
	}
	var narrowest unit.BytesPerSecond
	for i := range c.Tiers {
		t := &c.Tiers[i]
		rate := t.Bandwidth
		if i > c.ScaleUp {
			if narrowest == 0 || rate < narrowest {
				narrowest = rate
			}
			rate = narrowest
		}
		link, ok := k.Link(t.Kind, arch)
		if !ok {
			link, _ = k.Link(nearest(i > c.ScaleUp), arch)
		}
		f.legs[i] = newLeg(stated(link, &t.Fit), t, rate)
		f.legs[i].own(&t.Fit, &f.protocol)
	}
	return f
}

func nearest(outside bool) hardware.LinkKind {
	if outside {
		return hardware.InfiniBand
	}
	return hardware.PCIe
}

func newLeg(l Link, t *hardware.Tier, rate unit.BytesPerSecond) leg {
	b := float64(rate)
	g := leg{
		base: float64(l.Base), hop: float64(l.Hop), fill: float64(l.Fill), knee: l.Knee,
		reach: b * l.Reach, tree: b * l.Tree, p2p: b * l.P2P, pairs: b * l.Pairs, lane: b * l.Lane,
		switched: b * l.Switch, switchStep: float64(l.SwitchStep),
		shared: float64(t.Shared) * l.Reach, half: t.Ranks / 2,
	}
	g.meet = float64(l.Meet)
	g.ports = 1
	if t.NICs > 0 && t.PortRate > 0 {
		g.ports = max(1, float64(t.PortRate)/max(1, t.Oversubscription)/b)
	}
	if l.Hop > 0 {
		g.gap = min(1, float64(l.Gap/l.Hop))
	}
	if t.PerPeer > 0 && t.PerPeer < t.Bandwidth {
		g.peer = float64(t.PerPeer / t.Bandwidth)
	}
	return g
}

// place is where a group sits, as the algorithms see it: n = k·g ranks, g in
// each of k domains of the scale-up tier, over the inner and the outer leg.
type place struct {
	in, out *leg
	n, k, g float64
	groups  float64 // siblings in a domain
	across  bool    // the ranks inside a domain sit in both halves
}

// place reads a span. Where links of two kinds lie inside a node, a group that
// leaves the node sees the outer of them.
func (f *Fabric) place(s *hardware.Span) place {
	p := place{
		n: float64(s.Size), k: float64(s.Domains), g: float64(s.PerDomain),
		groups: float64(max(1, s.Siblings)),
	}
	switch {
	case s.Tier <= f.scaleUp:
		p.k, p.g = 1, p.n
		p.in = &f.legs[s.Tier]
		p.out = p.in
	default:
		p.in, p.out = &f.legs[f.scaleUp], &f.legs[s.Tier]
		if f.scaleUp > 0 && f.ranks > 0 {
			p.g = float64(min(s.Size, max(1, f.ranks/max(1, s.Stride))))
			p.k = max(2, p.n/p.g)
		}
	}
	p.across = p.in.shared > 0 && (int(p.g)-1)*s.Stride >= p.in.half
	return p
}
