package main

import (
	"cmp"

	"github.com/spf13/cobra"

	"planner/internal/catalog"
	"planner/internal/show"
	"planner/internal/verdict"
	"planner/verify/gpu/start"
)

// gpuVerify is the flags of verify that are about GPUs.
type gpuVerify struct {
	backendFlag
	print, image string
	nodes        int
}

func (g *gpuVerify) addTo(c *cobra.Command) {
	g.backendFlag.addTo(c)
	c.Example += `
  planner verify --backend auto                                         on this machine's GPUs, if it has any
  planner verify --print slurm --nodes 2 --model 8b > verify.sbatch     the job; then planner verify --from ITS_OUTPUT`
	f := c.Flags()
	f.StringVar(&g.print, "print", "", "print what starts the check on a cluster's GPUs, with the layouts in it: slurm, torchrun, mpirun, k8s")
	f.IntVar(&g.nodes, "nodes", 1, "with --print: nodes of the job")
	f.StringVar(&g.image, "image", "", "with --print k8s: container image that has planner-gpu and NCCL")
	complete(c, "print", func() []string { return []string{"slurm", "torchrun", "mpirun", "k8s"} })
}

// handles reports whether a question is for GPUs, here, in a job to come, or
// in one that has run.
func (o *verifyFlags) handles() bool {
	return o.gpu.onGPUs() || o.gpu.print != "" || o.from != "" && fromGPUs(o.from) != nil
}

// verifyGPUs answers a question for GPUs.
func (o *verifyFlags) verifyGPUs(c *cobra.Command) error {
	if err := o.gpu.check(); err != nil {
		return err
	}
	if o.Emulate != "" && (o.gpu.onGPUs() || o.gpu.print != "") {
		return catalog.Errorf("--emulate: not on GPUs: their links are what they are")
	}
	switch {
	case o.gpu.print != "":
		return o.printJob(c)
	case o.from != "":
		return o.judgeJob(c, fromGPUs(o.from))
	}
	x, err := o.gpu.choose(c.Context())
	if err != nil {
		return err
	}
	place, is, err := launched()
	if err != nil {
		return err
	}
	if !is || place.Rank == 0 {
		show.Note(c.ErrOrStderr(), "backend", "%s", x.Why)
	}
	switch {
	case x.Path == "":
		o.gpu.name = hostBackend
		return runVerify(c, o)
	case !is:
		return o.verifyOn(c, x, o.fewer(x.GPUs), nil)
	case place.Rank > 0: // the layouts come from rank 0
		return runGPU(c.Context(), x.Path, []string{"replay", "--backend", x.Backend, "--timeout", jobTimeout}, c.OutOrStdout(), c.ErrOrStderr())
	}
	return o.verifyOn(c, x, place.Size, nodesOf(place.Size, x.GPUs))
}

// fewer returns the GPUs to use of those at hand: as many as --gpus says.
func (o *verifyFlags) fewer(gpus int) int {
	if o.GPUs > 0 {
		return min(o.GPUs, gpus)
	}
	return gpus
}

// verifyOn runs the layouts on ranks of a back end; nodes are theirs, nil where
// no launcher placed them.
func (o *verifyFlags) verifyOn(c *cobra.Command, x *chosenBackend, ranks int, nodes []int) error {
	if o.Hardware = cmp.Or(o.Hardware, presetOf(x.Name)); o.Hardware == "" {
		return catalog.Errorf("--hardware: missing: no preset is known for %q: give one, or a cluster TOML", x.Name)
	}
	b := &start.GPUs{Path: x.Path, Backend: x.Backend, Ranks: ranks, Nodes: nodes, Notes: c.ErrOrStderr(), Args: []string{"--timeout", jobTimeout}}
	o.Backend = b
	return o.judgeRun(c, ranks, func() *start.Replayed { return b.Last })
}

// nodesOf spreads ranks over nodes of per GPUs, in order.
func nodesOf(ranks, per int) (nodes []int) {
	for r := range ranks {
		nodes = append(nodes, r/max(1, per))
	}
	return nodes
}

// modelFor sets what is verified where no model is named: one whose state of
// 18 bytes a parameter fits.
func (o *verifyFlags) modelFor(ranks int) {
	if o.Model == "" {
		if o.Model = "llama3.2-1b"; ranks >= 4 {
			o.Model = "llama3.1-8b"
		}
	}
}

// prepare reads the question for ranks at hand, whose layouts run in full if
// they are of as many.
func (o *verifyFlags) prepare(c *cobra.Command, ranks int) (*verdict.Run, error) {
	o.modelFor(ranks)
	if o.GPUs == 0 {
		o.GPUs = ranks
	}
	if o.Batch == 0 && o.GPUs == ranks { // a step of seconds, with overlap and bubbles
		o.Batch = batchPerGPU * ranks
	}
	run, err := verdict.Prepare(c.Context(), o.Question)
	if err == nil && run.Problem.Cluster.GPUs == ranks {
		run.Sampled = false
	}
	return run, err
}

// batchPerGPU is the sequences of a step, of each GPU, where none are given.
const batchPerGPU = 2
