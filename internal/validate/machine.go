package validate

import (
	"sync"

	"planner/hardware"
	"planner/hardware/unit"
	"planner/internal/catalog"
)

// Machine is what a table says of the cluster of a row.
type Machine struct {
	GPU    string // accelerator preset; "" where none fits
	Fabric string // between nodes; "none" inside one
	NIC    unit.BytesPerSecond
	GPUs   int
	Nodes  int
}

// fabrics maps the table's names to links. rdma is verbs of a kind that the
// source does not name, InfiniBand or RoCE.
var fabrics = map[string]hardware.LinkKind{
	"none": "", "nvl72": "", "infiniband": hardware.InfiniBand, "ib": hardware.InfiniBand,
	"rdma": hardware.RoCE, "roce": hardware.RoCE, "efa": hardware.EFA,
	"tcpx": hardware.TCPX, "tcpxo": hardware.TCPXO,
	"slingshot": hardware.Slingshot, "ethernet": hardware.Ethernet,
}

const fabricNames = "none, nvl72, infiniband, roce, rdma, efa, tcpx, tcpxo, slingshot or ethernet"

// check returns what the machine of the row at cannot be, or nil.
func (m *Machine) check(at string) error {
	if _, ok := fabrics[m.Fabric]; !ok {
		return catalog.Errorf("%s: fabric_kind %.40q: unknown: want %s", at, m.Fabric, fabricNames)
	}
	if m.Nodes > m.GPUs || m.GPUs%m.Nodes != 0 {
		return catalog.Errorf("%s: gpus %d on nodes %d: uneven: want gpus a multiple of nodes", at, m.GPUs, m.Nodes)
	}
	if m.Fabric == "none" && m.Nodes > 1 {
		return catalog.Errorf("%s: fabric_kind \"none\" on nodes %d: nothing joins them: want %s", at, m.Nodes, fabricNames)
	}
	if m.GPU == "" {
		return nil
	}
	if _, err := catalog.Accelerator(m.GPU); err != nil {
		return catalog.Errorf("%s: gpu_preset %.40q: unknown: want one of `planner hardware`, or blank", at, m.GPU)
	}
	return nil
}

// Cluster builds the machine from the presets: the first cluster of its
// accelerators and fabric, or else the accelerator's usual one, with the node
// size, fabric and NIC rate of the row. A blank NIC rate keeps the preset's.
func (m *Machine) Cluster() (*hardware.Cluster, error) {
	kind := fabrics[m.Fabric]
	node := m.GPUs / m.Nodes
	if m.GPU == "" {
		return m.unnamed(kind), nil
	}
	if c := m.bridged(); c != nil {
		return c, nil
	}
	return catalog.ClusterWith(base(m.GPU, kind), m.GPUs, catalog.ClusterOptions{
		GPUsPerNode: node, Fabric: kind, InterNode: m.NIC,
	})
}

// base returns the name of the preset to start from: the first cluster, by
// name, of the accelerator over the fabric.
func base(gpu string, kind hardware.LinkKind) string {
	if name, ok := presetOf()[gpuFabric{gpu, kind}]; ok {
		return name
	}
	return gpu
}

type gpuFabric struct {
	gpu  string
	kind hardware.LinkKind
}

var presetOf = sync.OnceValue(func() map[gpuFabric]string {
	m := map[gpuFabric]string{}
	for _, name := range catalog.ClusterNames() {
		c, err := catalog.Cluster(name, 1)
		if err != nil {
			continue
		}
		for _, t := range c.Tiers[c.ScaleUp+1:] {
			if k := (gpuFabric{c.GPU.Name, t.Kind}); m[k] == "" {
				m[k] = name
			}
		}
	}
	return m
})

// usualNIC is the network rate per GPU taken where neither row nor preset
// states one.
const usualNIC = unit.BytesPerSecond(25e9)

// unnamed is a machine of accelerators that have no preset, one per node: the
// network alone counts.
func (m *Machine) unnamed(kind hardware.LinkKind) *hardware.Cluster {
	nic := m.NIC
	if nic == 0 {
		nic = usualNIC
	}
	return &hardware.Cluster{
		Name: "unnamed", GPU: &hardware.Accelerator{}, GPUs: m.GPUs, PerNode: 1,
		Tiers: []hardware.Tier{
			{Kind: hardware.PCIe, Ranks: 1, Bandwidth: nic},
			{Kind: kind, Bandwidth: nic},
		},
	}
}

// bridged is a pair of cards that an NVLink bridge joins, or nil. What two such
// cards of one machine are measured over is the bridge.
func (m *Machine) bridged() *hardware.Cluster {
	a, err := catalog.Accelerator(m.GPU)
	if err != nil || !a.Link.Bridge || m.GPUs != 2 || m.Nodes != 1 {
		return nil
	}
	return &hardware.Cluster{
		Name: a.Name + " pair", GPU: a, GPUs: 2, PerNode: 2,
		Tiers: []hardware.Tier{{Kind: hardware.NVLinkMesh, Ranks: 2, Bandwidth: a.Link.Bandwidth}},
	}
}
