package verdict

import (
	"slices"

	"planner/costmodel/collective"
	"planner/hardware"
	"planner/hardware/unit"
	"planner/verify/host"
	"planner/verify/replay"
)

// here is the ranks at hand, as a cluster with the links of the plan's.
type here struct {
	*hardware.Cluster
	nodes, perNode int
	library        *collective.Fabric // prices as the plan's
	fabric         *collective.Fabric // prices of the links at hand
	slow           float64            // how much slower than the plan's the links are, 1: as fast
}

// newHere describes the ranks of a place as part of a plan's cluster.
func newHere(c *hardware.Cluster, links *collective.Constants, p replay.Place, slow float64) *here {
	own := *c
	per := p.PerNode()
	own.GPUs, own.PerNode, own.ScaleUp = p.Ranks, per, 0
	in := c.Tiers[c.ScaleUp]
	own.Tiers = []hardware.Tier{in}
	if p.Ranks > per && len(c.Tiers) > c.ScaleUp+1 {
		own.Tiers[0].Ranks = per
		own.Tiers = append(own.Tiers, c.Tiers[c.ScaleUp+1])
		own.Tiers[1].Ranks = 0
		if n := own.Tiers[1].NICs; n > 0 {
			own.Tiers[1].NICs = max(1, n*per/c.PerNode)
		}
	} else {
		own.Tiers[0].Ranks = 0
	}
	h := &here{Cluster: &own, nodes: p.Ranks / per, perNode: per, library: collective.NewFabric(&own, links), slow: slow}
	h.fabric = h.library
	if slow != 1 {
		h.fabric = h.plain()
	}
	return h
}

// plain prices emulated links: the rate and the step of the plan's rings on
// each tier, and nothing of what a library does to them otherwise.
func (h *here) plain() *collective.Fabric {
	c := *h.Cluster
	c.Tiers = slices.Clone(c.Tiers)
	for i := range c.Tiers {
		t := &c.Tiers[i]
		rate, step := h.rate(i > 0)
		t.PortRate = t.PortRate.Times(float64(rate / t.Bandwidth))
		t.Bandwidth, t.PerPeer, t.Shared = rate, 0, 0
		t.Fit = hardware.LinkFit{Latency: step, Reach: 1, P2P: 1, Stated: hardware.StatedAll}
	}
	return collective.NewFabric(&c, host.Constants(&c))
}

// tiling is how groups lie on the ranks at hand: every rank is in one group of
// size ranks, stride apart. Pairs are senders and receivers.
type tiling struct {
	stride, size int
	pairs        bool
	senders      int // of pairs across nodes: the senders of a node
}

// within returns the tilings of groups inside a node, largest last: n itself
// where it fits, else the two largest sizes that do.
func (h *here) within(n int) (list []tiling, whole bool) {
	for size := 2; size <= min(n, h.perNode); size++ {
		if h.perNode%size == 0 {
			list = append(list, tiling{stride: 1, size: size})
		}
	}
	if len(list) > 0 && list[len(list)-1].size == n {
		return list[len(list)-1:], true
	}
	return list[max(0, len(list)-2):], false
}

// across returns the tilings of groups of g ranks in each of k nodes: itself
// where it fits, else smaller ones, of two sizes or more where there are such.
func (h *here) across(k, g int) (list []tiling, whole bool) {
	if k <= h.nodes && h.nodes%k == 0 && g <= h.perNode && h.perNode%g == 0 {
		return []tiling{{stride: h.perNode / g, size: g * k}}, true
	}
	for in := min(g, h.perNode); in >= 1; in-- {
		if h.perNode%in != 0 || len(list) >= 2 || in == 1 && g > 1 && len(list) > 0 {
			continue
		}
		for nodes := 2; nodes <= min(k, h.nodes); nodes++ {
			if h.nodes%nodes == 0 {
				list = append(list, tiling{stride: h.perNode / in, size: in * nodes})
			}
		}
	}
	return list, false
}

// pair returns the tiling of pairs inside a node or across two.
func (h *here) pair(s *hardware.Span, perNode int) []tiling {
	if s.Domains < 2 {
		if h.perNode < 2 {
			return nil
		}
		return []tiling{{stride: 1, size: 2, pairs: true}}
	}
	if h.nodes < 2 {
		return nil
	}
	senders := max(1, min(h.perNode, s.Siblings*h.perNode/perNode))
	return []tiling{{stride: h.perNode, size: 2, pairs: true, senders: senders}}
}

// groups lists the groups of a tiling.
func (h *here) groups(t tiling) [][]int {
	var out [][]int
	for base := range h.GPUs {
		if base%(t.stride*t.size) >= t.stride || t.senders > 0 && base%h.perNode >= t.senders {
			continue
		}
		var g []int
		for i := range t.size {
			g = append(g, base+i*t.stride)
		}
		out = append(out, g)
	}
	return out
}

// span places a tiling.
func (h *here) span(t tiling) hardware.Span {
	s := h.Span(t.stride, t.size)
	if t.senders > 0 {
		s.Siblings = t.senders
	}
	return s
}

// base is what a call costs before its first step, by tier: a launch, which
// emulated links do not have. Rings of 3 take a step more than rings of 2.
func (h *here) base(outer bool) unit.Seconds {
	if h.slow == 1 || outer && len(h.Tiers) < 2 {
		return 0
	}
	two, three := h.ring(outer, 2), h.ring(outer, 3)
	return max(0, two.Latency.Times(2)-three.Latency)
}

// streaming is bytes enough for prices to be those of a stream.
const streaming = unit.Bytes(1 << 34)

// ring prices an all-gather by a ring of n ranks of one tier, streaming.
func (h *here) ring(outer bool, n int) collective.Price {
	span := hardware.Span{Stride: 1, Size: n, Domains: 1, PerDomain: n, Siblings: 1}
	if outer {
		span = hardware.Span{Stride: h.perNode, Size: n, Domains: n, PerDomain: 1, Siblings: h.perNode, Tier: 1}
	}
	return h.library.With(collective.Ring, collective.AllGather, streaming, span)
}

// rate returns what a ring reaches on a rank's share of a tier, and the time of
// a step: the terms of an emulated link that stands for it. Rings of 2 send
// half of what they gather.
func (h *here) rate(outer bool) (unit.BytesPerSecond, unit.Seconds) {
	two, three := h.ring(outer, 2), h.ring(outer, 3)
	return unit.BytesPerSecond(float64(streaming) / 2 / float64(two.Seconds-two.Latency)), three.Latency - two.Latency
}
