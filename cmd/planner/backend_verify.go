package main

import (
	"bytes"
	"encoding/json"
	"os"

	"github.com/spf13/cobra"

	"planner/hardware"
	"planner/internal/ask"
	"planner/internal/catalog"
	"planner/internal/show"
	"planner/internal/verdict"
	"planner/verify/gpu/start"
	"planner/verify/replay"
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
	if x.Path == "" {
		o.gpu.name = hostBackend
		return runVerify(c, o)
	}
	ranks := x.GPUs
	b := &start.GPUs{Path: x.Path, Backend: x.Backend, Notes: c.ErrOrStderr(), Args: []string{"--timeout", jobTimeout}}
	if is {
		if place.Rank > 0 { // the layouts come from rank 0
			return runGPU(c.Context(), x.Path, []string{"replay", "--backend", x.Backend, "--timeout", jobTimeout}, c.OutOrStdout(), c.ErrOrStderr())
		}
		ranks, b.Nodes = place.Size, nodesOf(place.Size, x.GPUs)
	}
	if o.Hardware == "" {
		if o.Hardware = presetOf(x.Name); o.Hardware == "" {
			return catalog.Errorf("--hardware: missing: no preset is known for %q: give one, or a cluster TOML", x.Name)
		}
	}
	if o.GPUs > 0 && o.GPUs < ranks && !is {
		ranks = o.GPUs
	}
	b.Ranks, o.Backend = ranks, b
	return o.judgeRun(c, ranks, func() *start.Replayed { return b.Last })
}

// nodesOf spreads ranks over nodes of per GPUs, in order.
func nodesOf(ranks, per int) (nodes []int) {
	for r := range ranks {
		nodes = append(nodes, r/max(1, per))
	}
	return nodes
}

// defaultModels are what is verified where no model is named: one whose state
// of 18 bytes a parameter fits.
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

func (o *verifyFlags) judgeRun(c *cobra.Command, ranks int, ran func() *start.Replayed) error {
	o.Progress = func(round, of int) { show.Note(c.ErrOrStderr(), "round", "%d of %d", round, of) }
	run, err := o.prepare(c, ranks)
	if err != nil {
		return err
	}
	show.Note(c.ErrOrStderr(), "layouts", "%d, on %d GPUs", len(run.Chosen), ranks)
	r, err := run.Measure(c.Context())
	if err != nil {
		return gpuFault(err)
	}
	if d := ran(); d != nil {
		for _, n := range d.Notes {
			show.Note(c.ErrOrStderr(), "note", "%s", n)
		}
	}
	measuredCompute(run, r)
	return o.finish(c, run, r)
}

// gpuFault makes what planner-gpu could not do an answer of no.
func gpuFault(err error) error {
	return &noError{err.Error()}
}

// measuredCompute says of a step on GPUs that its compute ran: all but the
// attention core, which products of its operations stand for.
func measuredCompute(run *verdict.Run, r *verdict.Report) {
	if run.Sampled {
		return
	}
	r.Shares = verdict.Shares{}
	for i := range r.Layouts {
		l, e := &r.Layouts[i], &run.Chosen[i]
		plan := replay.Build(run.Problem, e.Layout, e.Framework)
		core, all := 0.0, 0.0
		for _, part := range plan.Mixes[e.Slowest].Parts {
			for _, k := range part.Kernels {
				all += float64(part.Times) * k.Seconds
				if k.Core {
					core += float64(part.Times) * k.Seconds
				}
			}
		}
		if all > 0 {
			l.Compute *= core / all
		}
		scaled := min(1, l.Compute/l.Measured)
		l.Shares = &verdict.Shares{Measured: 1 - scaled, Scaled: scaled}
		r.Shares.Measured += l.Shares.Measured / float64(len(r.Layouts))
		r.Shares.Scaled += scaled / float64(len(r.Layouts))
	}
	r.Judge()
}

// gpuQuestion is what a job's result needs to be judged.
type gpuQuestion struct {
	Hardware  string   `json:"hardware"`
	GPUs      int      `json:"gpus"`
	Model     string   `json:"model"`
	SeqLen    int      `json:"seq_len"`
	Batch     int      `json:"global_batch"`
	Framework string   `json:"framework"`
	Layouts   []string `json:"layouts"`
	Rounds    int      `json:"rounds"`
	Seed      uint64   `json:"seed"`
	Ranks     int      `json:"ranks"`
}

// fromGPUs reads the output of a job, nil if it is none.
func fromGPUs(file string) *start.Replayed {
	text, err := os.ReadFile(file)
	if err != nil || !bytes.Contains(text, []byte(`"question":{`)) {
		return nil
	}
	d, err := start.ReadReplayed(bytes.NewReader(text))
	if err != nil || len(d.Question) == 0 {
		return nil
	}
	return d
}

// judgeJob judges what a job measured.
func (o *verifyFlags) judgeJob(c *cobra.Command, d *start.Replayed) error {
	var q gpuQuestion
	if err := json.Unmarshal(d.Question, &q); err != nil {
		return catalog.JSONFault(o.from, "the output of a job of planner verify --print", d.Question, err)
	}
	o.Hardware, o.GPUs, o.Model, o.SeqLen, o.Batch, o.Framework = q.Hardware, q.GPUs, q.Model, q.SeqLen, q.Batch, q.Framework
	o.Layouts, o.Rounds, o.Seed, o.Backend = q.Layouts, q.Rounds, q.Seed, start.Recorded{Replayed: d}
	return o.judgeRun(c, q.Ranks, func() *start.Replayed { return d })
}

// clusterFor reads the cluster that a job is for.
func clusterFor(name string) (string, *hardware.Cluster, error) {
	if name == "" {
		name = ask.DefaultHardware
	}
	c, err := catalog.Cluster(name, 1<<16)
	return name, c, err
}
