package hardware

import "planner/hardware/unit"

// LinkKind names a fabric whose behaviour is fitted as one.
type LinkKind string

// The link kinds of the presets.
const (
	NVLink     LinkKind = "nvlink"     // switched inside a node or rack
	NVLinkMesh LinkKind = "nvlinkmesh" // point to point, no switch
	XGMI       LinkKind = "xgmi"       // AMD Infinity Fabric mesh
	PCIe       LinkKind = "pcie"
	InfiniBand LinkKind = "ib"
	RoCE       LinkKind = "roce"
	EFA        LinkKind = "efa"
	TCPXO      LinkKind = "tcpxo"
	Slingshot  LinkKind = "slingshot"
	Ethernet   LinkKind = "ethernet" // TCP without GPU-direct
	Host       LinkKind = "host"     // ranks on the CPU of this machine
)

// Tier is one level of the network: all ranks inside one domain of the tier
// reach each other over it.
type Tier struct {
	Kind LinkKind
	// Ranks is the size of one domain in ranks: 8 for the NVLink of a DGX,
	// 72 for an NVL72 rack, 0 for the outermost tier (the whole cluster).
	Ranks int
	// Bandwidth is nominal, one direction, per rank: the rank's share when
	// every rank of its domain sends at once (the tier below's NICs divided
	// by its ranks, after oversubscription).
	Bandwidth unit.BytesPerSecond
	// NICs per domain of the tier below, over which its ranks spread; 0 where
	// every rank has a port of its own.
	NICs int
	// Fit holds the fitted constants of the fabric.
	Fit LinkFit
}

// LinkFit is what nominal link rates leave out.
type LinkFit struct {
	Latency unit.Seconds // one hop, in a collective, base latency included once
	Reach   float64      // share of the nominal bandwidth that a ring reaches
	P2P     float64      // share that Send/Recv between stages reaches
}

// Cluster is a set of equal accelerators and the tiers that join them,
// innermost first.
type Cluster struct {
	Name  string
	Title string // such as "DGX H100, 400 Gb/s InfiniBand per GPU"
	GPU   *Accelerator
	GPUs  int // ranks in use
	// PerNode is the number of ranks behind one host. PerNode ≤ Tiers[0].Ranks
	// where the innermost tier is a rack-wide NVLink domain.
	PerNode int
	Tiers   []Tier

	PricePerGPUHour float64 // US dollars; 0: not known
	Source, AsOf    string
}

// Nodes returns the number of hosts, rounded up.
func (c *Cluster) Nodes() int { return (c.GPUs + c.PerNode - 1) / c.PerNode }
