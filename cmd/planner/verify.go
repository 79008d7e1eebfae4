package main

import (
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"planner/internal/catalog"
	"planner/internal/export"
	"planner/internal/show"
	"planner/internal/verdict"
)

type verifyFlags struct {
	verdict.Question
	from, save, calibrate, format, transport string
	seconds                                  int
	gpu                                      gpuVerify
}

func newVerify() *cobra.Command {
	o := &verifyFlags{}
	c := &cobra.Command{
		Use:   "verify",
		Short: "Run the plan's own calls and check the ranking",
		Long: `verify takes layouts of a plan, replays the step of each with the bundled collective
engine, and compares: every call, every step, and the order. The last line of
reasoning comes first: holds (exit 0), does not hold (exit 1) with the term that is
wrong, or inconclusive (exit 1) with what is missing.

Computation is delays of the predicted length; the calls are the very calls of
planner explain, in their groups, beside one another as the timeline says. The
links are emulated, so that a laptop stands for a small cluster; the plan gets its
links from --hardware, or from the emulated ones with every term made wrong by up to
5 % (--seed), so that the check is no circle.

A plan of more GPUs than there are ranks (--gpus) is sampled: calls whose groups fit
run in full, others on smaller groups and with fewer bytes, from which they are
scaled; every call says so. The links of a preset are then emulated in slow motion.

Under torchrun, srun or mpirun every process is one rank: their links are measured,
planned for, and checked.`,
		Example: `  planner verify --emulate 2x2:nvlink=400MB/s,ib=40MB/s,delay=1ms
  planner verify --emulate 2x4:nvlink=400MB/s,ib=40MB/s,delay=1ms,nics=1 --model mini-wide --save measured.json
  planner verify --emulate 2x2:nvlink=400MB/s,ib=40MB/s --hardware my-cluster.toml --calibrate mended.toml
  planner verify --model 70b --gpus 1024
  planner verify --hardware host
  srun -N 2 --ntasks-per-node 4 planner verify
  planner verify --from measured.json`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error { return runVerify(c, o) },
	}
	o.gpu.addTo(c)
	f := c.Flags()
	f.StringVar(&o.Emulate, "emulate", "", "links to emulate: NODESxRANKS:nvlink=RATE,ib=RATE,delay=TIME[,nics=N] (default "+verdict.DefaultShape+")")
	f.StringVar(&o.Hardware, "hardware", "", "cluster to plan for: a preset, a cluster TOML, or host: this machine, measured (default the emulated links, perturbed; with --gpus and no --emulate the default of planner suggest)")
	f.IntVar(&o.GPUs, "gpus", 0, "GPUs of the plan; calls of groups larger than the ranks at hand are scaled (default as many as there are ranks)")
	f.StringVar(&o.transport, "transport", "", "how ranks are joined: goroutine, shm, unix, tcp, mixed (default goroutine; under a launcher mixed)")
	f.StringVar(&o.Model, "model", "", "mini, mini-wide, mini-long, or any model that planner knows (default mini)")
	countVar(f, &o.SeqLen, "seq-len", "tokens of a sequence (default the model's)")
	countVar(f, &o.Batch, "global-batch", "sequences of a step (default two a rank, at least 4096 tokens)")
	f.StringVar(&o.Framework, "framework", "any", "framework whose calls are made")
	f.IntVar(&o.Top, "top", 12, "layouts to run")
	f.BoolVar(&o.Best, "best", false, "run the best layouts alone, not a spread of good and bad ones")
	f.StringArrayVar(&o.Layouts, "layout", nil, "a layout to run instead; repeatable")
	f.IntVar(&o.Rounds, "rounds", 5, "interleaved rounds that count")
	f.IntVar(&o.seconds, "budget", 40, "seconds after which no further round begins, three apart")
	f.Uint64Var(&o.Seed, "seed", 1, "seed of the perturbed profile and of the confidence interval")
	f.StringVar(&o.save, "save", "", "file to save the measurement to")
	f.StringVar(&o.from, "from", "", "saved measurement to judge again, without running")
	f.StringVar(&o.calibrate, "calibrate", "", "file to write a hardware TOML to, fitted to what was measured")
	f.StringVar(&o.format, "format", "table", "table or json")
	complete(c, "model", func() []string { return append(verdict.Models(), catalog.ModelNames()...) })
	complete(c, "format", func() []string { return []string{"table", "json"} })
	return c
}

func runVerify(c *cobra.Command, o *verifyFlags) error {
	if err := o.check(); err != nil {
		return err
	}
	if err := aboveZero(c.Flags(), "gpus", "seq-len", "global-batch"); err != nil {
		return err
	}
	if o.from != "" {
		if err := refuseAnswered(c.Flags(), "--from "+o.from, allBut("from", "format", "save")); err != nil {
			return err
		}
	}
	if o.handles() {
		return o.verifyGPUs(c)
	}
	var r *verdict.Report
	var run *verdict.Run
	var err error
	if o.from != "" {
		r, err = verdict.Load(o.from)
	} else {
		err = withRanks(c.Context(), &o.Question, o.transport, func() (err error) {
			run, r, err = o.measure(c)
			return err
		})
	}
	if err != nil || r == nil { // a rank that is not the first has nothing to say
		return err
	}
	return o.finish(c, run, r)
}

// finish saves, prints and calibrates what was measured.
func (o *verifyFlags) finish(c *cobra.Command, run *verdict.Run, r *verdict.Report) (err error) {
	if o.save != "" {
		if err := r.Save(o.save); err != nil {
			return err
		}
		show.Note(c.ErrOrStderr(), "saved", "%s    again without running: planner verify --from %s", o.save, o.save)
	}
	if o.format == "json" {
		err = show.JSON(c.OutOrStdout(), r)
	} else {
		verdict.Render(c.OutOrStdout(), r)
	}
	if err == nil && o.calibrate != "" {
		err = o.fit(c, run, r)
	}
	if err == nil && r.Verdict.Status != verdict.Holds {
		err = &noError{}
	}
	return err
}

func (o *verifyFlags) check() error {
	switch {
	case o.format != "table" && o.format != "json":
		return catalog.Errorf("--format %q: no such format: want table or json", o.format)
	case o.Top < 1 || o.Top > 64:
		return catalog.Errorf("--top %d: out of range: want 1 to 64", o.Top)
	case o.Rounds < 3 || o.Rounds > 100:
		return catalog.Errorf("--rounds %d: out of range: want 3 to 100", o.Rounds)
	case o.seconds < 1 || o.seconds > 86400:
		return catalog.Errorf("--budget %d: out of range: want 1 to 86400 seconds", o.seconds)
	case o.SeqLen < 0:
		return catalog.Errorf("--seq-len %d: negative: want 1 or more", o.SeqLen)
	case o.Batch < 0:
		return catalog.Errorf("--global-batch %d: negative: want 1 or more", o.Batch)
	case o.GPUs < 0 || o.GPUs == 1 || o.GPUs > 1<<20:
		return catalog.Errorf("--gpus %d: out of range: want 2 to 1,048,576, for calls to be between", o.GPUs)
	case o.calibrate != "" && o.GPUs > 0:
		return catalog.Errorf("--calibrate: fits the ranks at hand: want it without --gpus")
	case slices.Contains(o.Layouts, best):
		return catalog.Errorf("--layout %q: not a layout: want one such as tp=2,pp=2, or --best --top 1 for the best", best)
	case o.from != "" && o.calibrate != "":
		return catalog.Errorf("--calibrate: needs a run: give it without --from")
	}
	return nil
}

// aboveZero refuses a 0 that was typed, which would count as not given.
func aboveZero(f *pflag.FlagSet, names ...string) error {
	for _, name := range names {
		if g := f.Lookup(name); g.Changed && g.Value.String() == "0" {
			return catalog.Errorf("--%s 0: too small: want more, or leave the flag out", name)
		}
	}
	return nil
}

func (o *verifyFlags) measure(c *cobra.Command) (*verdict.Run, *verdict.Report, error) {
	for _, file := range []string{o.save, o.calibrate} {
		if err := export.Writable(file); err != nil {
			return nil, nil, err
		}
	}
	o.Budget = time.Duration(o.seconds) * time.Second
	o.Progress = func(round, of int) { show.Note(c.ErrOrStderr(), "round", "%d of %d", round, of) }
	run, err := verdict.Prepare(c.Context(), o.Question)
	if err != nil {
		return nil, nil, err
	}
	show.Note(c.ErrOrStderr(), "layouts", "%d", len(run.Chosen))
	r, err := run.Measure(c.Context())
	return run, r, err
}

// fit writes the calibrated hardware and says what planning with it changes.
func (o *verifyFlags) fit(c *cobra.Command, run *verdict.Run, r *verdict.Report) error {
	after, err := run.Calibrate(r, o.calibrate)
	if err != nil {
		return err
	}
	w := c.ErrOrStderr()
	show.Note(w, "calibrated", "%s", o.calibrate)
	show.Note(w, "tau-b", "%.2f → %.2f", r.TauB, after.TauB)
	show.Note(w, "regret", "%.1f %% → %.1f %%", 100*r.Regret, 100*after.Regret)
	show.Note(w, "step error", "%.1f %% → %.1f %%", 100*r.Error, 100*after.Error)
	fmt.Fprintln(w)
	return nil
}
