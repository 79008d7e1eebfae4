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
	PCIeHost   LinkKind = "pcie-host" // PCIe without peer-to-peer: through host memory
	InfiniBand LinkKind = "ib"
	RoCE       LinkKind = "roce"
	EFA        LinkKind = "efa"
	TCPX       LinkKind = "tcpx"
	TCPXO      LinkKind = "tcpxo"
	Slingshot  LinkKind = "slingshot"
	Ethernet   LinkKind = "ethernet" // TCP without GPU-direct
	Host       LinkKind = "host"     // ranks on the CPU of this machine
)

// LinkKinds returns every kind, inner ones first.
func LinkKinds() []LinkKind {
	return []LinkKind{NVLink, NVLinkMesh, XGMI, PCIe, PCIeHost, Host,
		InfiniBand, RoCE, EFA, TCPX, TCPXO, Slingshot, Ethernet}
}

// Network reports whether the kind leaves the node through NICs.
func (k LinkKind) Network() bool {
	switch k {
	case InfiniBand, RoCE, EFA, TCPX, TCPXO, Slingshot, Ethernet:
		return true
	}
	return false
}

// Tier is one level of the network: all ranks inside one domain of the tier
// reach each other over it.
type Tier struct {
	Kind LinkKind
	// Ranks is the size of one domain in ranks: 8 for the NVLink of a DGX,
	// 72 for an NVL72 rack, 0 for the outermost tier (the whole cluster).
	// Each tier's domains are whole numbers of the tier below's.
	Ranks int
	// Bandwidth is nominal, one direction, per rank: the rank's share when
	// every rank of its domain sends at once (the tier below's NICs divided
	// by its ranks, after oversubscription).
	Bandwidth unit.BytesPerSecond
	// PerPeer bounds what one rank can send to one peer on a mesh without
	// switch: a group of n gets min(Bandwidth, (n−1)·PerPeer). 0: switched,
	// one peer can be sent the whole Bandwidth.
	PerPeer unit.BytesPerSecond
	// Shared is the capacity, one direction, of a path that all traffic
	// between the two halves of a domain shares (the link between the sockets
	// of a PCIe server). A ring crosses it once. 0: none.
	Shared unit.BytesPerSecond
	// NICs per node, over which its ranks spread; 0 where every rank has a
	// port of its own.
	NICs int
	// Ports and PortRate describe the NICs of one node, whether shared or not.
	Ports    int
	PortRate unit.BytesPerSecond
	// Oversubscription is by how much the tier has less capacity than the
	// ports below it (7 for 7:1); Bandwidth is after it. 1: none.
	Oversubscription float64
	// Rails: port i of every node meets port i of the others one hop away.
	Rails bool
	// Fit holds the fitted constants of the fabric.
	Fit LinkFit
}

// Peers returns the nominal bandwidth that a rank gets, one direction, within
// a group of n ranks of one domain: the mesh limit of PerPeer applied.
func (t *Tier) Peers(n int) unit.BytesPerSecond {
	if t.PerPeer == 0 || n < 2 {
		return t.Bandwidth
	}
	return min(t.Bandwidth, t.PerPeer.Times(float64(n-1)))
}

// LinkFit is what nominal link rates leave out. See presets/clusters/fit.toml.
// What the cluster's own file or a flag states of it replaces the fitted
// constants of the kind of link in prices.
type LinkFit struct {
	// Latency is one hop of a collective, base latency included once.
	Latency unit.Seconds `toml:"latency"`
	// Reach is the share of the nominal bandwidth that a large ring reaches.
	Reach float64 `toml:"reach"`
	// P2P is the share that Send/Recv between stages reaches.
	P2P float64 `toml:"p2p"`
	// LatencyFactor multiplies the fitted times of small messages; 0: 1.
	LatencyFactor float64 `toml:"latency_factor"`
	// Stated says which fields are the cluster's own; the others are usual
	// values of the kind.
	Stated LinkFields `toml:"-"`
}

// LinkFields is a set of fields of a LinkFit.
type LinkFields uint8

// The fields that a cluster may state.
const (
	StatedLatency LinkFields = 1 << iota
	StatedReach
	StatedP2P
	StatedAll = StatedLatency | StatedReach | StatedP2P
)

// States reports whether the cluster states a field.
func (f *LinkFit) States(x LinkFields) bool { return f.Stated&x != 0 }

// Cluster is a set of equal accelerators and the tiers that join them,
// innermost first.
type Cluster struct {
	Name     string
	Title    string // such as "DGX H100, 400 Gb/s InfiniBand per GPU"
	Provider string // who runs or sells it; "generic" for a typical machine
	GPU      *Accelerator
	GPUs     int // ranks in use
	// PerNode is the number of ranks behind one host. PerNode ≤ the ranks of
	// the scale-up domain, which may be rack-wide (NVL72).
	PerNode int
	Tiers   []Tier
	// ScaleUp is the index of the outermost tier that needs no NIC: the node's,
	// or the rack's. 0 but for machines with links inside a node of two kinds.
	ScaleUp int

	Pod   int // ranks of one pod of the network as built; 0: not known
	Total int // accelerators of the machine; 0: not known or unlimited

	PricePerGPUHour float64 // US dollars; 0: not known
	PriceSource     string
	Source, AsOf    string
	Note            string
	// Assumed lists what no source states: "nics", "nic", "shared".
	Assumed []string
}

// Domain returns the ranks that reach each other without a NIC: those of a
// node, or of the rack whose links join several.
func (c *Cluster) Domain() int { return max(c.PerNode, c.Tiers[c.ScaleUp].Ranks) }

// Nodes returns the number of hosts, rounded up.
func (c *Cluster) Nodes() int { return (c.GPUs + c.PerNode - 1) / c.PerNode }
