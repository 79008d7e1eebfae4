package collective

import (
	"planner/hardware"
	"planner/hardware/unit"
)

// Link holds what nominal rates leave out of one kind of link, as collectives
// meet it. Zero Switch means that the link's switch does not reduce.
type Link struct {
	Name string // hardware.LinkKind, or that and an architecture: "nvlink-hopper"

	Base  unit.Seconds // paid once by every call that uses the link
	Hop   unit.Seconds // one step of a small message
	Gap   unit.Seconds // a network's time for each message of a ring, 0 ≤ Gap ≤ Hop: see Fabric.steps
	Fill  unit.Seconds // what a step costs more once the message streams
	Knee  float64      // transfer time at which half of the fill is paid, in fills
	Reach float64      // share of the nominal rate that rings reach, 0 < Reach ≤ 1
	Tree  float64      // share that trees reach, 0 < Tree ≤ 1
	Pairs float64      // share that all pairs at once reach, 0 < Pairs ≤ 1
	P2P   float64      // share that one Send/Recv pair reaches, 0 < P2P ≤ 1
	// Meet is what a step costs more from rendezvousBytes a message, where sender
	// and receiver have to agree on it first; 0: nothing.
	Meet unit.Seconds
	Lane float64 // share that one channel of a Send reaches; 0: whatever its channels

	Switch     float64      // share that in-switch reduction reaches, 0 ≤ Switch ≤ 1
	SwitchStep unit.Seconds // one in-switch reduction of a small message
}

// Protocol holds what all links share.
type Protocol struct {
	// Pair is the cost of one peer of an all-to-all as a share of a ring step.
	Pair float64
	// TreeFill is the fill of a tree step between domains in those of rings.
	TreeFill float64
	// Crowd is the share of P2P left to a Send between domains when the group
	// has more than four ranks in each.
	Crowd float64
}

// Constants are the fitted constants of collectives; presets/collectives holds
// them with their sources.
type Constants struct {
	Protocol Protocol
	Links    []Link
}

// Link returns the constants of a kind of link between accelerators of an
// architecture: the pair's own, or its family's ("blackwell-ultra" →
// "blackwell"), or the kind's. RoCE shares InfiniBand's: the same adapters and
// the same verbs, and a fit of each apart agrees within its error.
func (c *Constants) Link(kind hardware.LinkKind, arch string) (Link, bool) {
	if kind == hardware.RoCE {
		kind = hardware.InfiniBand
	}
	for _, name := range []string{string(kind) + "-" + arch, string(kind) + "-" + hardware.Family(arch), string(kind)} {
		for i := range c.Links {
			if c.Links[i].Name == name {
				return c.Links[i], true
			}
		}
	}
	return Link{}, false
}
