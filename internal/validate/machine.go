package validate

import (
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

// fabrics maps the table's names to links. rdma is one whose kind the source
// does not name.
var fabrics = map[string]hardware.LinkKind{
	"none": "", "nvl72": "", "infiniband": hardware.InfiniBand, "ib": hardware.InfiniBand,
	"rdma": hardware.RoCE, "roce": hardware.RoCE, "efa": hardware.EFA, "tcpxo": hardware.TCPXO,
	"slingshot": hardware.Slingshot, "ethernet": hardware.Ethernet,
}

// usual is the NIC rate per GPU, in Gb/s, of the machines that are sold with a
// GPU, taken where the table leaves it blank.
var usual = map[string]float64{
	"v100": 100, "a100": 200, "a800": 200, "b300": 800, "gb300": 800,
}

const usualNIC = 400 // Hopper and Blackwell HGX

// rack is the NVLink domain of the GPUs that are sold in racks.
var rack = map[string]int{"gb200": 72, "gb300": 72}

type interconnect struct {
	arch string
	kind hardware.LinkKind
	gbs  float64
}

var linksOf = map[string]interconnect{
	"h100-sxm-80gb":  {"hopper", hardware.NVLink, 450},
	"h200-sxm":       {"hopper", hardware.NVLink, 450},
	"gh200":          {"hopper", hardware.NVLinkMesh, 450},
	"a100-sxm-80gb":  {"ampere", hardware.NVLink, 300},
	"a100-sxm-40gb":  {"ampere", hardware.NVLink, 300},
	"b200-sxm":       {"blackwell", hardware.NVLink, 900},
	"b300-sxm":       {"blackwell-ultra", hardware.NVLink, 900},
	"gb200":          {"blackwell", hardware.NVLink, 900},
	"gb300":          {"blackwell-ultra", hardware.NVLink, 900},
	"h100-pcie-80gb": {"hopper", hardware.NVLinkMesh, 300},
	"rtx-5090":       {"blackwell", hardware.PCIe, 63},
	"rtx-4090":       {"ada", hardware.PCIe, 31.5},
	"":               {"blackwell", hardware.PCIe, 31.5},
}

func (m *Machine) check(at string) error {
	if _, ok := fabrics[m.Fabric]; !ok {
		return catalog.Errorf("%s: fabric_kind %.40q: unknown: want none, nvl72, infiniband, roce, rdma, efa, tcpxo, slingshot or ethernet", at, m.Fabric)
	}
	if m.Nodes > m.GPUs || m.GPUs%m.Nodes != 0 {
		return catalog.Errorf("%s: gpus %d on nodes %d: uneven: want gpus a multiple of nodes", at, m.GPUs, m.Nodes)
	}
	return nil
}

// Cluster builds the machine.
func (m *Machine) Cluster() (*hardware.Cluster, error) {
	l := linksOf[m.GPU]
	c := &hardware.Cluster{GPU: &hardware.Accelerator{Name: m.GPU, Arch: l.arch}, GPUs: m.GPUs, PerNode: m.GPUs / m.Nodes}
	c.Tiers = []hardware.Tier{{Kind: l.kind, Ranks: m.domain(), Bandwidth: unit.BytesPerSecond(l.gbs) * unit.GBps}}
	if m.domain() < m.GPUs {
		c.Tiers = append(c.Tiers, hardware.Tier{Kind: fabrics[m.Fabric], Bandwidth: m.nic()})
	}
	return c, nil
}

func (m *Machine) domain() int {
	r := rack[m.GPU]
	if r == 0 {
		return m.GPUs / m.Nodes
	}
	racks := (m.GPUs + r - 1) / r
	return m.GPUs / racks
}

func (m *Machine) nic() unit.BytesPerSecond {
	if m.NIC > 0 {
		return m.NIC
	}
	for prefix, gbps := range usual {
		if len(m.GPU) >= len(prefix) && m.GPU[:len(prefix)] == prefix {
			return unit.BytesPerSecond(gbps * 1e9 / 8)
		}
	}
	return usualNIC * 1e9 / 8
}
