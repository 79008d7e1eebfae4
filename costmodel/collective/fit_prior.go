package collective

import "planner/hardware/unit"

// Prior returns the constants before any measurement. Steps, NVLink and NIC
// figures are of the size of NCCL 2.30.7's own table (src/graph/tuning.cc:
// base 6.6–8.4 µs, NVLink 0.6–4, PCI 1.0–5.7, network 2.7–14 and 1 a message,
// NVLS 25); one channel moves what one NVLink does (src/graph/topo.h: 20.0, 20.6
// and 40.1 GB/s); without peer-to-peer two RTX 4090 take 10 µs, four 21
// (clusters/fit.toml); shares of nominal rates are what vendors publish for large
// messages. Calibrate leaves a constant here where no measurement speaks of it.
func Prior() Constants {
	const us = unit.Microsecond
	return Constants{
		Protocol: Protocol{Pair: 0.6, TreeFill: 1.5, Crowd: 0.6},
		Links: []Link{
			{Name: "nvlink", Base: 8 * us, Hop: 0.8 * us, Fill: 3.4 * us, Knee: 0.3, Reach: 0.78, Tree: 0.7, Pairs: 0.73, P2P: 0.8, Lane: 20.0 / 300},
			{Name: "nvlink-hopper", Base: 8 * us, Hop: 0.8 * us, Fill: 3.4 * us, Knee: 0.3, Reach: 0.8, Tree: 0.72, Pairs: 0.74, P2P: 0.8, Lane: 20.6 / 450, Switch: 0.68, SwitchStep: 20 * us},
			{Name: "nvlink-blackwell", Base: 8 * us, Hop: 0.8 * us, Fill: 3.4 * us, Knee: 0.3, Reach: 0.74, Tree: 0.7, Pairs: 0.73, P2P: 0.78, Lane: 40.1 / 900, Switch: 0.6, SwitchStep: 20 * us},
			{Name: "nvlinkmesh", Base: 8 * us, Hop: 0.8 * us, Fill: 3.4 * us, Knee: 0.3, Reach: 0.75, Tree: 0.68, Pairs: 0.7, P2P: 0.75},
			{Name: "xgmi", Base: 12 * us, Hop: 1.5 * us, Fill: 5 * us, Knee: 0.3, Reach: 0.71, Tree: 0.68, Pairs: 0.7, P2P: 0.7},
			{Name: "pcie", Base: 8 * us, Hop: 1.5 * us, Fill: 5.7 * us, Knee: 0.3, Reach: 0.56, Tree: 0.5, Pairs: 0.5, P2P: 0.6},
			{Name: "pcie-host", Base: 4.5 * us, Hop: 2.75 * us, Fill: 7 * us, Knee: 0.3, Reach: 0.08, Tree: 0.08, Pairs: 0.08, P2P: 0.16},
			{Name: "ib", Base: 6 * us, Hop: 3 * us, Gap: us, Fill: 6 * us, Knee: 0.3, Reach: 0.97, Tree: 0.87, Pairs: 0.9, P2P: 0.5},
			{Name: "efa", Base: 30 * us, Hop: 12 * us, Gap: us, Fill: 30 * us, Knee: 0.1, Reach: 0.95, Tree: 0.85, Pairs: 0.88, P2P: 0.5},
			{Name: "efa-ampere", Base: 30 * us, Hop: 12 * us, Gap: us, Fill: 30 * us, Knee: 0.1, Reach: 0.95, Tree: 0.85, Pairs: 0.88, P2P: 0.5},
			{Name: "tcpxo", Base: 40 * us, Hop: 15 * us, Gap: us, Fill: 30 * us, Knee: 0.1, Reach: 0.92, Tree: 0.83, Pairs: 0.86, P2P: 0.5},
			{Name: "tcpx", Base: 40 * us, Hop: 15 * us, Gap: us, Fill: 30 * us, Knee: 0.1, Reach: 0.8, Tree: 0.83, Pairs: 0.86, P2P: 0.5},
			{Name: "slingshot", Base: 6 * us, Hop: 10 * us, Gap: 3 * us, Fill: 10 * us, Meet: 15 * us, Knee: 0.1, Reach: 0.92, Tree: 0.83, Pairs: 0.6, P2P: 0.5},
			{Name: "slingshot-ampere", Base: 6 * us, Hop: 10 * us, Gap: 3 * us, Fill: 10 * us, Meet: 15 * us, Knee: 0.1, Reach: 0.92, Tree: 0.83, Pairs: 0.6, P2P: 0.5},
			{Name: "ethernet", Base: 20 * us, Hop: 25 * us, Gap: us, Fill: 60 * us, Knee: 0.3, Reach: 0.85, Tree: 0.77, Pairs: 0.79, P2P: 0.6},
			{Name: "ethernet-host", Base: 20 * us, Hop: 25 * us, Gap: us, Fill: 60 * us, Knee: 0.3, Reach: 0.85, Tree: never, Pairs: 0.79, P2P: 0.6},
			{Name: "host", Base: 4 * us, Hop: 2 * us, Fill: 4 * us, Knee: 0.3, Reach: 0.8, Tree: 0.72, Pairs: 0.74, P2P: 0.8},
		},
	}
}

// never is the share of a rate that rules an algorithm out: the bundled engine,
// which ranks on processors run, builds no trees between nodes.
const never = 1e-9

// knob is one number of the constants that a fit may turn.
type knob struct {
	name string
	at   func(*Constants) *float64
	// spread is the prior's standard deviation in ln(value).
	spread float64
	max    float64 // upper bound of the value; 0: none
}

const (
	timeSpread  = 0.8 // a factor of 2.2 either way
	baseSpread  = 0.4
	gapSpread   = 0.5  // 1 µs on Intel, 2 on AMD processors
	shareSpread = 0.15 // shares of a nominal rate
	reachSpread = 0.06 // rings: 0.74 to 0.82 of NVLink from A100 to GB200, 0.96 to 0.98 of a NIC
	looseSpread = 0.4  // shares that depend on congestion and on the library
	generation  = 0.3  // between generations of one kind of link: a third either way
)

// knobs lists every number of c.
func knobs(c *Constants) []knob {
	list := []knob{
		{"protocol.pair", func(c *Constants) *float64 { return &c.Protocol.Pair }, timeSpread, 0},
		{"protocol.tree_fill", func(c *Constants) *float64 { return &c.Protocol.TreeFill }, timeSpread, 0},
		{"protocol.crowd", func(c *Constants) *float64 { return &c.Protocol.Crowd }, shareSpread, 1},
	}
	for i := range c.Links {
		list = append(list, linkKnobs(i, c.Links[i])...)
	}
	return list
}

func linkKnobs(i int, l Link) []knob {
	list := []knob{
		{l.Name + ".base", func(c *Constants) *float64 { return (*float64)(&c.Links[i].Base) }, baseSpread, 0},
		{l.Name + ".hop", func(c *Constants) *float64 { return (*float64)(&c.Links[i].Hop) }, timeSpread, 0},
		{l.Name + ".fill", func(c *Constants) *float64 { return (*float64)(&c.Links[i].Fill) }, timeSpread, 0},
		{l.Name + ".knee", func(c *Constants) *float64 { return &c.Links[i].Knee }, timeSpread, 0},
		{l.Name + ".reach", func(c *Constants) *float64 { return &c.Links[i].Reach }, reachSpread, 1},
		{l.Name + ".tree", func(c *Constants) *float64 { return &c.Links[i].Tree }, looseSpread, 1},
		{l.Name + ".pairs", func(c *Constants) *float64 { return &c.Links[i].Pairs }, looseSpread, 1},
		{l.Name + ".p2p", func(c *Constants) *float64 { return &c.Links[i].P2P }, shareSpread, 1},
	}
	if l.Gap > 0 {
		list = append(list, knob{l.Name + ".gap", func(c *Constants) *float64 { return (*float64)(&c.Links[i].Gap) }, gapSpread, 0})
	}
	if l.Meet > 0 {
		list = append(list, knob{l.Name + ".meet", func(c *Constants) *float64 { return (*float64)(&c.Links[i].Meet) }, timeSpread, 0})
	}
	if l.Lane > 0 {
		list = append(list, knob{l.Name + ".lane", func(c *Constants) *float64 { return &c.Links[i].Lane }, reachSpread, 1})
	}
	if l.Switch > 0 {
		list = append(list,
			knob{l.Name + ".switch", func(c *Constants) *float64 { return &c.Links[i].Switch }, shareSpread, 1},
			knob{l.Name + ".switch_step", func(c *Constants) *float64 { return (*float64)(&c.Links[i].SwitchStep) }, timeSpread, 0})
	}
	return list
}
