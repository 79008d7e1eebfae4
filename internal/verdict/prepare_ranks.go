package verdict

import (
	"context"

	"planner/hardware"
	"planner/internal/catalog"
	"planner/verify/host"
	"planner/verify/transport"
)

// emulated plans for ranks of the engine: emulated ones, or this machine's.
func (r *Run) emulated(ctx context.Context) error {
	if err := r.ranks(); err != nil {
		return err
	}
	var err error
	switch {
	case r.Cluster != nil:
		r.Profile = r.Cluster
	case r.Hardware == OwnMachine:
		err = r.own(ctx)
	case r.Hardware != "":
		r.Profile, err = r.file()
		if err == nil && r.Profile.PerNode != r.Shape.PerNode {
			err = catalog.Errorf("--hardware %q: %d ranks a node: want the %d of --emulate %s", r.Hardware, r.Profile.PerNode, r.Shape.PerNode, r.Emulate)
		}
	default:
		r.Profile = host.Perturb(host.Profile(r.Shape), perturbation, r.Seed)
	}
	if err != nil {
		return err
	}
	return r.fill()
}

// ranks finds the ranks to run.
func (r *Run) ranks() error {
	switch {
	case r.Backend != nil:
		return r.placed()
	case r.Emulate != "":
		return r.shape(r.Emulate)
	case r.Hardware == OwnMachine:
		n := r.Ranks
		if n == 0 {
			n = host.Machine{Cores: host.Cores()}.Ranks()
		}
		r.Shape = &transport.Shape{Nodes: 1, PerNode: n}
		return nil
	default:
		r.Emulate = DefaultShape
	}
	return r.shape(r.Emulate)
}

// placed takes the shape of the ranks that are there.
func (r *Run) placed() error {
	p := r.Backend.Place()
	per := p.PerNode()
	if per == 0 {
		return catalog.Errorf("ranks: nodes have different numbers of them, or they are not adjacent: want equal nodes, in order")
	}
	if r.Emulate != "" {
		return r.shape(r.Emulate)
	}
	r.Shape = &transport.Shape{Nodes: p.Ranks / per, PerNode: per}
	return nil
}

// maxRanks bounds the ranks of one process: more than these cannot be on time
// on a machine of a few cores.
const maxRanks = 32

// shape reads the ranks to emulate.
func (r *Run) shape(text string) error {
	s, err := transport.ParseShape(text)
	if err != nil {
		return catalog.Errorf("--emulate %s", err)
	}
	if s.Ranks() < 2 || s.Ranks() > maxRanks {
		return catalog.Errorf("--emulate %q: %d ranks: want 2 to %d", text, s.Ranks(), maxRanks)
	}
	r.Shape = s
	return nil
}

// defaultTokens is the tokens of a step of a bundled model: its steps then
// take tenths of a second on emulated links.
const defaultTokens = 4096

func (r *Run) fill() error {
	if r.Model == "" {
		r.Model = "mini"
	}
	m, err := Model(r.Model)
	if err != nil {
		return err
	}
	c := *r.Profile
	if c.GPUs = r.Shape.Ranks(); r.GPUs > 0 && r.GPUs != c.GPUs {
		if err := r.enlarge(&c); err != nil {
			return err
		}
	}
	r.Profile = &c
	if r.SeqLen == 0 {
		r.SeqLen = m.MaxSeq
	}
	if r.Batch == 0 {
		r.Batch = max(2*c.GPUs, defaultTokens/r.SeqLen)
	}
	r.Problem, err = Problem(m, &c, r.SeqLen, r.Batch, r.Framework)
	r.links = host.Constants(&c)
	return err
}

// enlarge makes a cluster as large as the plan's, of nodes like those at hand.
func (r *Run) enlarge(c *hardware.Cluster) error {
	r.Sampled = true
	c.GPUs = r.GPUs
	if len(c.Tiers) < 2 && c.GPUs > c.PerNode {
		return catalog.Errorf("--gpus %d: more than the one node of %d ranks, and no link between nodes is known: want --emulate with two nodes or more, or ranks on two hosts", r.GPUs, c.PerNode)
	}
	if c.GPUs > c.PerNode && c.GPUs%c.PerNode != 0 || c.GPUs < 2 {
		return catalog.Errorf("--gpus %d: not whole nodes of %d ranks: want a multiple", r.GPUs, c.PerNode)
	}
	return nil
}
