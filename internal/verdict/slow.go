package verdict

import (
	"math/rand/v2"

	"planner/costmodel/collective"
	"planner/hardware"
	"planner/verify/host"
	"planner/verify/replay"
	"planner/verify/transport"
)

// slowRate is what the innermost link of a cluster in slow motion carries, in
// bytes per second: two cores move it for 16 ranks at once.
const slowRate = 200e6

// slowNodes and slowPerNode are the ranks that stand for a larger cluster:
// sizes of two and four, inside a node and across.
const slowNodes, slowPerNode = 4, 4

// slowShape returns the nodes and the ranks of a node that stand for a cluster.
func slowShape(c *hardware.Cluster) *transport.Shape {
	domain := c.Tiers[c.ScaleUp].Ranks
	if domain == 0 || domain >= c.GPUs {
		return &transport.Shape{Nodes: 1, PerNode: evenUpTo(2*slowPerNode, c.GPUs)}
	}
	return &transport.Shape{Nodes: evenUpTo(slowNodes, (c.GPUs+domain-1)/domain), PerNode: evenUpTo(slowPerNode, domain)}
}

// evenUpTo returns the largest power of two up to most and n.
func evenUpTo(most, n int) int {
	out := 1
	for 2*out <= min(most, n) {
		out *= 2
	}
	return out
}

// placeOf is the place of a shape's ranks.
func placeOf(s *transport.Shape) replay.Place {
	p := replay.Place{Ranks: s.Ranks()}
	for r := range s.Ranks() {
		p.Nodes = append(p.Nodes, r/s.PerNode)
	}
	return p
}

// slowMotion gives a shape without rates the links of a cluster, slow times as
// slow, each term off by up to a share of perturbation: a check against the
// very links that the plan has would be a circle. A shape with rates keeps
// them.
func slowMotion(c *hardware.Cluster, links *collective.Constants, s *transport.Shape, seed uint64) (slow float64) {
	h := newHere(c, links, placeOf(s), 1)
	rate, step := h.rate(false)
	if s.Intra.Bandwidth > 0 {
		return float64(rate / s.Intra.Bandwidth)
	}
	r := rand.New(rand.NewPCG(seed, 0))
	off := func() float64 { return 1 + perturbation*(2*r.Float64()-1) }
	slow = float64(rate) / slowRate
	s.Intra = transport.Link{Bandwidth: rate.Times(off() / slow), Delay: max(0, step.Times(slow*off())-host.Wake)}
	if s.Nodes == 1 {
		return slow
	}
	rate, step = h.rate(true)
	s.Inter = transport.Link{Bandwidth: rate.Times(off() / slow), Delay: max(0, step.Times(slow*off())-host.Wake)}
	if n := h.Tiers[1].NICs; n > 0 && n < s.PerNode {
		s.NICsPerNode = n
		s.Inter.Bandwidth = s.Inter.Bandwidth.Times(float64(s.PerNode) / float64(n))
	}
	return slow
}
