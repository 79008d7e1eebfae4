package report

import (
	"fmt"
	"slices"

	"planner/hardware"
	"planner/hardware/unit"
	"planner/internal/catalog"
	"planner/strategies"
)

// Figure is what the pick's step does when one figure of the hardware is 10 %
// higher or lower than assumed, and which layout would then lead.
type Figure struct {
	Name         string
	Higher       float64 // change of the step at 1.1 times the figure, relative
	Lower        float64 // at 0.9 times
	Leader       string  // the layout that would be faster by more than the resolution; "": none
	LeaderFaster float64
}

// off is by how much a figure is moved.
const off = 0.10

// figures moves each rate of the cluster. The candidates are the pick and its
// rivals: those that could lead instead.
func figures(p *strategies.Problem, candidates []strategies.Estimate) []Figure {
	var out []Figure
	for _, f := range rates(p.Cluster) {
		g := Figure{Name: f.name}
		g.Higher, g.Leader, g.LeaderFaster = scaled(p, candidates, f, 1+off)
		lower, leader, faster := scaled(p, candidates, f, 1-off)
		if g.Lower = lower; faster > g.LeaderFaster {
			g.Leader, g.LeaderFaster = leader, faster
		}
		out = append(out, g)
	}
	return out
}

type rate struct {
	name  string
	scale func(c *hardware.Cluster, by float64)
}

// rates lists what a cluster is nominally capable of: peak, memory, each tier.
func rates(c *hardware.Cluster) []rate {
	out := []rate{
		{"compute peak", func(c *hardware.Cluster, by float64) {
			for i := range c.GPU.Peak {
				c.GPU.Peak[i] = c.GPU.Peak[i].Times(by)
			}
			c.GPU.TF32 = c.GPU.TF32.Times(by)
		}},
		{"memory bandwidth", func(c *hardware.Cluster, by float64) { c.GPU.MemoryBandwidth = c.GPU.MemoryBandwidth.Times(by) }},
	}
	for i := range c.Tiers {
		if i > 0 && !networked(c) {
			break
		}
		out = append(out, rate{linkTitle(c.Tiers[i].Kind) + " bandwidth", func(c *hardware.Cluster, by float64) {
			t := &c.Tiers[i]
			for _, r := range []*unit.BytesPerSecond{&t.Bandwidth, &t.PerPeer, &t.Shared, &t.PortRate} {
				*r = r.Times(by)
			}
		}})
	}
	return out
}

// scaled estimates the candidates, the pick first, on other hardware.
func scaled(p *strategies.Problem, candidates []strategies.Estimate, f rate, by float64) (change float64, leader string, faster float64) {
	c, gpu := *p.Cluster, *p.Cluster.GPU
	c.GPU, c.Tiers = &gpu, slices.Clone(c.Tiers)
	f.scale(&c, by)
	q, err := catalog.Problem(p.Model, &c, p.Work, p.Profiles)
	if err != nil {
		return 0, "", 0
	}
	q.Balanced, q.Correction, q.Usable = p.Balanced, p.Correction, p.Usable
	pick := &candidates[0]
	step := q.Estimate(pick.Layout, pick.Framework).Step
	for i := range candidates[1:] {
		k := &candidates[i+1]
		if e := q.Estimate(k.Layout, k.Framework); e.Fits {
			if gain := 1 - float64(e.Step/step); gain > max(strategies.Resolution, faster) {
				leader, faster = fmt.Sprintf("%s on %s", e.Layout, e.Framework.Name), gain
			}
		}
	}
	return float64(step/pick.Step) - 1, leader, faster
}

// linkTitle is how people write a fabric.
func linkTitle(k hardware.LinkKind) string {
	titles := map[hardware.LinkKind]string{hardware.InfiniBand: "InfiniBand", hardware.RoCE: "RoCE", hardware.EFA: "EFA", hardware.Ethernet: "Ethernet",
		hardware.TCPX: "TCPX", hardware.TCPXO: "TCPXO", hardware.Slingshot: "Slingshot", hardware.PCIe: "PCIe", hardware.PCIeHost: "PCIe through the host",
		hardware.XGMI: "xGMI", hardware.NVLink: "NVLink", hardware.NVLinkMesh: "NVLink mesh", hardware.Host: "host memory"}
	if t, ok := titles[k]; ok {
		return t
	}
	return string(k)
}
