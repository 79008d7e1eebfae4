package collective

import "planner/hardware/unit"

// Prior returns the constants before any measurement. Steps, NVLink and NIC
// figures are of the size of NCCL 2.30.7's own table (src/graph/tuning.cc:
// base 6.6–8.4 µs, NVLink 0.6–4, PCI 1.0–5.7, network 2.7–14, NVLS 25); shares
// of nominal rates are what vendors publish for large messages. Calibrate
// leaves a constant here where no measurement speaks of it.
func Prior() Constants {
	const us = unit.Microsecond
	return Constants{
		Protocol: Protocol{Knee: 1, Spread: 0.93, Pair: 0.6, Tree: 0.92, Crowd: 0.6},
		Links: []Link{
			{Name: "nvlink", Base: 10 * us, Hop: 0.8 * us, Fill: 3.4 * us, Reach: 0.78, P2P: 0.8},
			{Name: "nvlink-hopper", Base: 10 * us, Hop: 0.8 * us, Fill: 3.4 * us, Reach: 0.8, P2P: 0.8, Switch: 0.68, SwitchStep: 20 * us},
			{Name: "nvlink-blackwell", Base: 10 * us, Hop: 0.8 * us, Fill: 3.4 * us, Reach: 0.78, P2P: 0.78, Switch: 0.6, SwitchStep: 20 * us},
			{Name: "nvlinkmesh", Base: 10 * us, Hop: 0.8 * us, Fill: 3.4 * us, Reach: 0.75, P2P: 0.75},
			{Name: "xgmi", Base: 12 * us, Hop: 1.5 * us, Fill: 5 * us, Reach: 0.75, P2P: 0.7},
			{Name: "pcie", Base: 10 * us, Hop: 1.5 * us, Fill: 5.7 * us, Reach: 0.6, P2P: 0.6},
			{Name: "ib", Base: 6 * us, Hop: 4 * us, Fill: 12 * us, Reach: 0.97, P2P: 0.5},
			{Name: "roce", Base: 6 * us, Hop: 4 * us, Fill: 12 * us, Reach: 0.97, P2P: 0.5},
			{Name: "efa", Base: 30 * us, Hop: 12 * us, Fill: 30 * us, Reach: 0.95, P2P: 0.5},
			{Name: "tcpxo", Base: 40 * us, Hop: 15 * us, Fill: 30 * us, Reach: 0.92, P2P: 0.5},
			{Name: "slingshot", Base: 6 * us, Hop: 12 * us, Fill: 40 * us, Reach: 0.92, P2P: 0.5},
			{Name: "ethernet", Base: 20 * us, Hop: 25 * us, Fill: 60 * us, Reach: 0.85, P2P: 0.6},
			{Name: "host", Base: 4 * us, Hop: 2 * us, Fill: 4 * us, Reach: 0.8, P2P: 0.8},
		},
	}
}

// knob is one number of the constants that a fit may turn.
type knob struct {
	name string
	at   func(*Constants) *float64
	// spread is the prior's standard deviation in ln(value).
	spread float64
	max    float64 // upper bound of the value; 0: none
}

const (
	timeSpread  = 0.8  // a factor of 2.2 either way
	shareSpread = 0.15 // shares of a nominal rate
)

// knobs lists every number of c.
func knobs(c *Constants) []knob {
	list := []knob{
		{"protocol.knee", func(c *Constants) *float64 { return &c.Protocol.Knee }, timeSpread, 0},
		{"protocol.spread", func(c *Constants) *float64 { return &c.Protocol.Spread }, shareSpread, 1},
		{"protocol.pair", func(c *Constants) *float64 { return &c.Protocol.Pair }, timeSpread, 0},
		{"protocol.tree", func(c *Constants) *float64 { return &c.Protocol.Tree }, shareSpread, 1},
		{"protocol.crowd", func(c *Constants) *float64 { return &c.Protocol.Crowd }, shareSpread, 1},
	}
	for i := range c.Links {
		list = append(list, linkKnobs(i, c.Links[i])...)
	}
	return list
}

func linkKnobs(i int, l Link) []knob {
	list := []knob{
		{l.Name + ".base", func(c *Constants) *float64 { return (*float64)(&c.Links[i].Base) }, timeSpread, 0},
		{l.Name + ".hop", func(c *Constants) *float64 { return (*float64)(&c.Links[i].Hop) }, timeSpread, 0},
		{l.Name + ".fill", func(c *Constants) *float64 { return (*float64)(&c.Links[i].Fill) }, timeSpread, 0},
		{l.Name + ".reach", func(c *Constants) *float64 { return &c.Links[i].Reach }, shareSpread, 1},
		{l.Name + ".p2p", func(c *Constants) *float64 { return &c.Links[i].P2P }, shareSpread, 1},
	}
	if l.Switch > 0 {
		list = append(list,
			knob{l.Name + ".switch", func(c *Constants) *float64 { return &c.Links[i].Switch }, shareSpread, 1},
			knob{l.Name + ".switch_step", func(c *Constants) *float64 { return (*float64)(&c.Links[i].SwitchStep) }, timeSpread, 0})
	}
	return list
}
