package catalog

import (
	"slices"
	"strings"

	"planner/hardware"
	"planner/hardware/unit"
)

// ClusterOptions replaces parts of a cluster's description, as a measured
// run's table or a flag states them. Zero values keep what the preset says.
type ClusterOptions struct {
	GPUsPerNode int // ranks of one node
	Domain      int // ranks of one NVLink domain, where larger than a node

	InterNode unit.BytesPerSecond // per GPU, one direction, of every tier between nodes
	Fabric    hardware.LinkKind   // of every tier between nodes
	NICs      int                 // ports of a node; fewer than GPUsPerNode are shared
	Latency   unit.Seconds        // of one hop between nodes
}

// apply changes c, which no one else holds.
func (o ClusterOptions) apply(c *hardware.Cluster) error {
	if err := o.Check(); err != nil {
		return err
	}
	if o.GPUsPerNode > 0 {
		o.applyNode(c)
	}
	if o.Domain > 0 {
		c.Tiers[c.ScaleUp].Ranks = o.Domain
		c.PerNode = min(c.PerNode, o.Domain)
	}
	for i := c.ScaleUp + 1; i < len(c.Tiers); i++ {
		o.applyNetwork(&c.Tiers[i], c.PerNode)
	}
	return o.refit(c)
}

// mostLatency bounds the time of one hop of a link.
const mostLatency = unit.Seconds(1)

// Check refuses values that no cluster has.
func (o ClusterOptions) Check() error {
	switch {
	case o.GPUsPerNode < 0 || o.GPUsPerNode > 1024:
		return Errorf("--gpus-per-node %d: out of range: want 1 to 1024", o.GPUsPerNode)
	case o.Domain < 0 || o.Domain > MaxGPUs:
		return Errorf("NVLink domain %d: want 1 to 1,048,576", o.Domain)
	case o.GPUsPerNode > 0 && o.Domain%o.GPUsPerNode != 0:
		return Errorf("NVLink domain %d: not whole nodes of %d GPUs", o.Domain, o.GPUsPerNode)
	case o.NICs < 0:
		return Errorf("ports of a node %d: negative: want 0 or more", o.NICs)
	case o.NICs > 1024:
		return Errorf("ports of a node %d: too many: want at most 1024", o.NICs)
	case !(o.InterNode >= 0):
		return Errorf("--inter-node %gB/s: negative: want 0 or more", float64(o.InterNode))
	case !(o.Latency >= 0):
		return Errorf("latency between nodes %g s: negative: want 0 or more", float64(o.Latency))
	case o.Latency > mostLatency:
		return Errorf("latency between nodes %g s: out of range: want 0 to %s", float64(o.Latency), mostLatency)
	case o.Fabric != "" && !slices.Contains(hardware.LinkKinds(), o.Fabric):
		return unknownFabric(string(o.Fabric))
	case o.InterNode > 0 && !(o.InterNode >= leastRate && o.InterNode <= mostRate):
		return Errorf("--inter-node %gB/s: out of range: want %s to %s", float64(o.InterNode), leastRate, mostRate)
	}
	return nil
}

func unknownFabric(given string) error {
	known := linkNames()
	if n := Nearest(given, known); n != "" {
		return Errorf("fabric %q: unknown: did you mean %q?", given, n)
	}
	return Errorf("fabric %q: unknown: want one of %s", given, strings.Join(known, ", "))
}

// applyNode changes the size of a node. A domain that was the node stays the
// node; ports scale, so that a GPU's share of the network is kept.
func (o ClusterOptions) applyNode(c *hardware.Cluster) {
	was := c.PerNode
	for i := range c.Tiers {
		t := &c.Tiers[i]
		if t.Ranks == was || i <= c.ScaleUp && t.Ranks > o.GPUsPerNode && t.Ranks < was {
			t.Ranks = o.GPUsPerNode
		}
		if t.NICs > 0 {
			t.NICs = max(1, t.NICs*o.GPUsPerNode/was)
		}
		t.Ports = t.Ports * o.GPUsPerNode / was
	}
	c.PerNode = o.GPUsPerNode
}

func (o ClusterOptions) applyNetwork(t *hardware.Tier, perNode int) {
	if o.Fabric != "" {
		t.Kind = o.Fabric
	}
	if o.InterNode > 0 {
		t.Bandwidth = o.InterNode.Times(1 / t.Oversubscription)
		t.Ports, t.PortRate = perNode, o.InterNode
		t.NICs = 0
	}
	if o.NICs > 0 {
		t.Ports, t.NICs = o.NICs, 0
		t.PortRate = t.Bandwidth.Times(t.Oversubscription * float64(perNode) / float64(o.NICs))
		if o.NICs < perNode {
			t.NICs = o.NICs
		}
	}
}

// refit takes the constants of the fabric that the options name.
func (o ClusterOptions) refit(c *hardware.Cluster) error {
	network := c.Tiers[c.ScaleUp+1:]
	if o.Fabric != "" {
		if err := fitTiers(network, c.GPU.Arch); err != nil {
			return err
		}
	}
	for i := range network {
		if o.Latency > 0 {
			network[i].Fit.Latency = o.Latency
			network[i].Fit.Stated |= hardware.StatedLatency
		}
	}
	return nil
}

// size sets the number of ranks and the domain in use.
func size(c *hardware.Cluster, gpus int) error {
	c.GPUs = gpus
	up := &c.Tiers[c.ScaleUp]
	if up.Ranks > c.PerNode {
		up.Ranks = Domain(gpus, up.Ranks, c.PerNode)
	}
	if n := c.Tiers[len(c.Tiers)-1].Ranks; n > 0 && gpus > n {
		return Errorf("--gpus %d: %s joins at most %d: want fewer GPUs, or another [[tier]] outside", gpus, c.Name, n)
	}
	return nil
}

// Domain returns the ranks of one scale-up domain (NVL72: most is 72, node 4)
// when gpus ranks are in use: most where it divides gpus or holds them all,
// else the largest equal share of whole nodes that is at least half of most,
// such as 64 for 256 or 128 GPUs; else most, leaving the last domain short.
//
// Operators place such jobs so: a job of 256 on racks of 72 runs as 4 × 64
// (the published GB200 and GB300 runs name racks, and use powers of two).
func Domain(gpus, most, node int) int {
	if gpus <= most || gpus%most == 0 {
		return min(most, gpus)
	}
	for n := gpus/most + 1; 2*gpus >= n*most; n++ {
		if gpus%n == 0 && gpus/n%node == 0 {
			return gpus / n
		}
	}
	return most
}
