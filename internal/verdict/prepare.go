package verdict

import (
	"context"
	"errors"

	"planner/hardware"
	"planner/internal/ask"
	"planner/internal/catalog"
	"planner/strategies"
	"planner/verify/host"
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
