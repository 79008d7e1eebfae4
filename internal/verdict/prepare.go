package verdict

import (
	"context"
	"errors"

	"planner/hardware"
	"planner/internal/ask"
	"planner/internal/catalog"
	"planner/strategies"
	"planner/verify/host"
	"planner/verify/transport"
)

// Prepare reads a question and chooses the layouts. Errors of the input are
// *catalog.Error.
func Prepare(ctx context.Context, q Question) (*Run, error) {
	r := &Run{Question: q, slow: 1}
	if r.Backend != nil && r.Hardware == "" && r.Emulate == "" && r.GPUs == 0 && r.Cluster == nil {
		r.Hardware = OwnMachine // its links are known to nobody
	}
	if q.Hardware == "" && q.Emulate == "" && q.GPUs > 0 && q.Cluster == nil {
		r.Hardware = ask.DefaultHardware
	}
	preset, err := r.preset()
	if err != nil {
		return nil, err
	}
	if preset {
		err = r.planned()
	} else {
		err = r.emulated(ctx)
	}
	if err != nil {
		return nil, err
	}
	return r, r.choose(ctx)
}

// preset reports whether the plan is for accelerators, rather than for ranks
// whose compute is delays.
func (r *Run) preset() (bool, error) {
	if r.Hardware == "" || r.Hardware == OwnMachine || r.Cluster != nil {
		return false, nil
	}
	if !catalog.IsPath(r.Hardware) {
		if _, err := catalog.Cluster(r.Hardware, max(1, r.GPUs)); err != nil {
			return false, err
		}
		if r.GPUs == 0 {
			return false, catalog.Errorf("--hardware %q: a cluster without a size: want --gpus N, or a cluster TOML of planner calibrate --measure, or host", r.Hardware)
		}
		return true, nil
	}
	c, err := r.file()
	if err != nil || c.GPU.Arch == host.Arch {
		return false, err
	}
	if r.GPUs == 0 {
		return false, catalog.Errorf("--hardware %q: describes accelerators: want --gpus N", r.Hardware)
	}
	return true, nil
}

// file reads the cluster TOML of the question.
func (r *Run) file() (*hardware.Cluster, error) {
	text, err := catalog.ReadFile("cluster TOML", r.Hardware)
	if err != nil {
		return nil, err
	}
	return catalog.ParseCluster(r.Hardware, text)
}

// planned asks for the plan that planner suggest makes, and finds ranks to
// sample its calls on: links in slow motion, where none are given.
func (r *Run) planned() error {
	a, err := ask.Ask(ask.Question{Model: r.Model, Hardware: r.Hardware, GPUs: r.GPUs, SeqLen: r.SeqLen, GlobalBatch: r.Batch, Framework: r.Framework})
	if err != nil {
		return err
	}
	r.Problem, r.Profile, r.SeqLen, r.Batch, r.Sampled = a.Problem, a.Problem.Cluster, a.SeqLen, a.GlobalBatch, true
	if r.links, err = catalog.Collectives(); err != nil {
		return err
	}
	switch {
	case r.Backend != nil:
		return r.placed()
	case r.Emulate != "":
		err = r.shape(r.Emulate)
	default:
		r.Shape = slowShape(r.Profile)
	}
	if err == nil {
		r.slow = slowMotion(r.Profile, r.links, r.Shape, r.Seed)
	}
	return err
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

func (r *Run) choose(ctx context.Context) error {
	if len(r.Layouts) == 0 {
		where := space
		if r.Problem.Cluster.GPU.Arch != host.Arch {
			where = strategies.Space{}
		}
		r.Chosen = choose(ctx, r.Problem, where, r.Top, !r.Best)
		if len(r.Chosen) == 0 {
			return errors.New("nothing to verify: no layout fits")
		}
		return nil
	}
	for _, text := range r.Layouts {
		e, err := estimateOf(r.Problem, text)
		if err != nil {
			return err
		}
		r.Chosen = append(r.Chosen, e)
	}
	return nil
}

// estimateOf predicts a layout under the first framework that runs it.
func estimateOf(p *strategies.Problem, text string) (strategies.Estimate, error) {
	l, err := strategies.ParseLayout(text)
	if err != nil {
		return strategies.Estimate{}, catalog.Errorf("--layout %s", err)
	}
	l, v := l.Complete(p.Cluster.GPUs)
	for _, f := range p.Profiles {
		if v != nil {
			break
		}
		if v = p.Check(&l, f); v == nil {
			return p.Estimate(l, f), nil
		}
		if f != p.Profiles[len(p.Profiles)-1] {
			v = nil
		}
	}
	return strategies.Estimate{}, catalog.Errorf("--layout %s", v)
}
