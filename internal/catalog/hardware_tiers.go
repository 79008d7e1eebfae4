package catalog

import (
	"slices"

	"planner/hardware"
	"planner/hardware/unit"
)

// clusterSpec is a cluster as its TOML spells it.
type clusterSpec struct {
	Name     string     `toml:"name"`
	Title    string     `toml:"title"`
	Provider string     `toml:"provider"`
	GPU      any        `toml:"gpu"` // a preset's name, or a table like gpuSpec
	PerNode  int        `toml:"gpus_per_node"`
	Domain   int        `toml:"domain"` // ranks that NVLink joins, where more than a node
	Pod      int        `toml:"pod"`
	Total    int        `toml:"total"`
	Price    float64    `toml:"price"` // US dollars per GPU and hour
	PriceSrc string     `toml:"price_source"`
	Tiers    []tierSpec `toml:"tier"`
	provenance
}

// tierSpec is one level of the network, innermost first. Its rate is given
// either per rank, or by the ports of a node.
type tierSpec struct {
	Kind             hardware.LinkKind   `toml:"kind"`
	Ranks            int                 `toml:"ranks"` // 0: the whole cluster
	Bandwidth        unit.BytesPerSecond `toml:"bandwidth"`
	PerPeer          unit.BytesPerSecond `toml:"per_peer"`
	Shared           unit.BytesPerSecond `toml:"shared"`
	NICs             int                 `toml:"nics"`
	NIC              unit.BytesPerSecond `toml:"nic"`
	Oversubscription float64             `toml:"oversubscription"`
	Rails            bool                `toml:"rails"`
	Fit              any                 `toml:"fit"` // overrides of hardware.LinkFit
}

// check records what is wrong with the numbers of s.
func (s *clusterSpec) check(d *decoder) {
	if s.PerNode < 1 || s.PerNode > 1024 {
		d.fail("gpus_per_node", "gpus_per_node: %d: want 1 to 1024", s.PerNode)
	}
	if !(s.Price >= 0 && s.Price < mostPrice) {
		d.fail("price", "price: %g: out of range: want 0 to %g US dollars a GPU hour", s.Price, float64(mostPrice))
	}
	s.checkSizes(d)
	if len(s.Tiers) == 0 {
		d.fail("", "no [[tier]]: want one for each kind of link, innermost first")
	}
	below := 1
	for i := range s.Tiers {
		s.Tiers[i].check(d, index("tier", i), below, i == len(s.Tiers)-1)
		below = max(s.Tiers[i].Ranks, 1)
	}
	s.checkDomain(d)
}

// checkDomain refuses a domain that differs from the ranks of the tier that is
// priced: it would be believed and do nothing.
func (s *clusterSpec) checkDomain(d *decoder) {
	for _, t := range s.Tiers {
		if s.Domain > 0 && t.Kind == hardware.NVLink && t.Ranks > 0 && t.Ranks != s.Domain {
			d.fail("domain", "domain: %d: the nvlink tier joins %d: want the ranks of that tier, which count, to be the same", s.Domain, t.Ranks)
		}
	}
}

// mostPrice bounds US dollars per GPU and hour.
const mostPrice = 1e6

// checkSizes records sizes, which are for readers, that no machine has.
func (s *clusterSpec) checkSizes(d *decoder) {
	for _, f := range []struct {
		key string
		n   int
	}{{"domain", s.Domain}, {"pod", s.Pod}, {"total", s.Total}} {
		switch {
		case f.n < 0:
			d.fail(f.key, "%s: %d: negative: want GPUs, or no such key", f.key, f.n)
		case s.PerNode > 0 && f.n%s.PerNode != 0:
			d.fail(f.key, "%s: %d: no whole nodes: want a multiple of gpus_per_node, %d", f.key, f.n, s.PerNode)
		}
	}
}

// check records what is wrong with a tier above domains of below ranks.
func (t *tierSpec) check(d *decoder, path string, below int, last bool) {
	t.checkKind(d, path)
	switch {
	case t.Ranks < 0, t.Ranks == 0 && !last:
		d.fail(join(path, "ranks"), "ranks: %d: want the GPUs that the tier joins: the last tier alone may leave it out", t.Ranks)
	case t.Ranks%below != 0:
		d.fail(join(path, "ranks"), "ranks: %d: want a multiple of %d, the tier below", t.Ranks, below)
	case t.NICs < 0 || t.NICs > 1024:
		d.fail(join(path, "nics"), "nics: %d: want 0 to 1024", t.NICs)
	case t.Bandwidth > 0 && t.NIC > 0:
		d.fail(join(path, "bandwidth"), "both bandwidth and nic: want either bandwidth (per GPU) or nics and nic (per node)")
	case t.Bandwidth == 0 && (t.NICs < 1 || t.NIC == 0):
		d.fail(path, "no rate: want bandwidth (per GPU) or nics and nic (per node)")
	}
	t.checkRates(d, path)
}

func (t *tierSpec) checkKind(d *decoder, path string) {
	if !slices.Contains(hardware.LinkKinds(), t.Kind) {
		d.unknownWord(join(path, "kind"), "kind", string(t.Kind), linkNames())
	}
}

// linkNames returns the words for the kinds of link.
func linkNames() []string {
	var names []string
	for _, k := range hardware.LinkKinds() {
		names = append(names, string(k))
	}
	return names
}

// tier converts t for nodes of perNode ranks.
func (t *tierSpec) tier(perNode int) hardware.Tier {
	h := hardware.Tier{
		Kind: t.Kind, Ranks: t.Ranks, Bandwidth: t.Bandwidth, PerPeer: t.PerPeer, Shared: t.Shared,
		Ports: t.NICs, PortRate: t.NIC, Oversubscription: max(1, t.Oversubscription), Rails: t.Rails,
	}
	if t.NIC > 0 {
		h.Bandwidth = t.NIC.Times(float64(t.NICs) / float64(perNode))
	}
	h.Bandwidth = h.Bandwidth.Times(1 / h.Oversubscription)
	if t.NICs > 0 && t.NICs < perNode {
		h.NICs = t.NICs
	}
	return h
}

// cluster converts s; GPU, GPUs and the fits are not filled in.
func (s *clusterSpec) cluster() *hardware.Cluster {
	c := &hardware.Cluster{
		Name: s.Name, Title: s.Title, Provider: s.Provider, PerNode: s.PerNode, Pod: s.Pod, Total: s.Total,
		PricePerGPUHour: s.Price, PriceSource: s.PriceSrc, Source: s.source(), AsOf: s.AsOf,
		Note: s.Note, Assumed: s.Assumed,
	}
	for i := range s.Tiers {
		c.Tiers = append(c.Tiers, s.Tiers[i].tier(s.PerNode))
		if !s.Tiers[i].Kind.Network() {
			c.ScaleUp = i
		}
	}
	return c
}
