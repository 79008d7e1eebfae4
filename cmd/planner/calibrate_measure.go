package main

import (
	"time"

	"github.com/spf13/cobra"

	"planner/internal/catalog"
	"planner/internal/export"
	"planner/internal/show"
	"planner/internal/verdict"
)

// measurement is the flags of calibrate --measure.
type measurement struct {
	on        bool
	transport string
	seconds   int
	verdict.Question
}

// addTo adds the flags. --hardware and --out are calibrate's.
func (m *measurement) addTo(c *cobra.Command) {
	f := c.Flags()
	f.BoolVar(&m.on, "measure", false, "measure the links of ranks with the bundled engine, and check the plan before and after")
	f.StringVar(&m.Emulate, "emulate", "", "with --measure: links to emulate (default "+verdict.DefaultShape+")")
	f.IntVar(&m.Ranks, "ranks", 0, "with --measure: ranks of this machine, over its own memory")
	f.StringVar(&m.transport, "transport", "", "with --measure: how ranks are joined: goroutine, shm, unix, tcp, mixed")
	f.StringVar(&m.Model, "model", "", "with --measure: model whose layouts check the plan (default mini)")
	f.IntVar(&m.Top, "top", 12, "with --measure: layouts to check with")
	f.IntVar(&m.Rounds, "rounds", 3, "with --measure: interleaved rounds that count")
	f.IntVar(&m.seconds, "budget", 30, "with --measure: seconds after which no further round of one measurement begins")
	f.Uint64Var(&m.Seed, "seed", 1, "with --measure: seed of the perturbed profile")
}

// check refuses what does not go together.
func (m *measurement) check(k *calibration) error {
	switch {
	case k.from != "" || k.runs != "" || k.collectives != "":
		return catalog.Errorf("--measure: one source of measurements: want it without --from, --runs and --collectives")
	case m.Ranks != 0 && m.Emulate != "":
		return catalog.Errorf("--ranks %d: --emulate says how many: want one of them", m.Ranks)
	case m.Ranks < 0 || m.Ranks == 1 || m.Ranks > 32:
		return catalog.Errorf("--ranks %d: out of range: want 2 to 32", m.Ranks)
	case m.Top < 2 || m.Top > 64:
		return catalog.Errorf("--top %d: out of range: want 2 to 64", m.Top)
	case m.Rounds < 3 || m.Rounds > 100:
		return catalog.Errorf("--rounds %d: out of range: want 3 to 100", m.Rounds)
	case m.seconds < 1 || m.seconds > 86400:
		return catalog.Errorf("--budget %d: out of range: want 1 to 86400 seconds", m.seconds)
	}
	return nil
}

// measure measures, fits and shows what planning with the fit changes.
func (k *calibration) measure(c *cobra.Command) error {
	m := &k.measured
	if err := m.check(k); err != nil {
		return err
	}
	m.Hardware, m.Framework, m.Budget = k.hardware, "any", time.Duration(m.seconds)*time.Second
	if m.Ranks > 0 {
		m.Hardware = verdict.OwnMachine
	}
	m.Progress = func(round, of int) { show.Note(c.ErrOrStderr(), "round", "%d of %d", round, of) }
	return withRanks(c.Context(), &m.Question, m.transport, func() error {
		if err := export.Writable(k.out); err != nil {
			return err
		}
		run, err := verdict.Prepare(c.Context(), m.Question)
		if err != nil {
			return err
		}
		fit, err := run.Mend(c.Context())
		if err != nil {
			return err
		}
		fit.Render(c.ErrOrStderr())
		_, err = deliver(c, k.out, fit.TOML())
		return err
	})
}
