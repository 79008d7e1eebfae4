package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"planner/internal/ask"
	"planner/internal/calibrate"
	"planner/internal/catalog"
	"planner/internal/show"
	"planner/internal/validate"
)

// calibration is the flags of calibrate.
type calibration struct {
	from, hardware, runs, collectives, out string
	measured                               measurement
}

func newCalibrate() *cobra.Command {
	k := &calibration{}
	c := &cobra.Command{
		Use:   "calibrate",
		Short: "Fit constants to measurements: one cluster's, or all published runs",
		Long: `Fit constants to measurements.

With --from, those of one cluster: the text of nccl-tests sets the rates of its
links; a table of measured steps (its columns: docs/RUNS.md) sets one factor. The
cluster is that of --hardware, or the one that the table names; its file, with what
was measured in it, is written and goes to --hardware.

With --collectives, those of every kind of link, on a table of measured calls as
validate reads it.

With --measure, the links of ranks at hand, by calls of the bundled engine: of
emulated links (--emulate), of this machine (--hardware host, --ranks), or of the
machines on which a launcher started planner. Layouts are replayed before and after.

Without, the constants of every accelerator and framework, on the published runs
that come with planner or on --runs, with cross-validation and bands. It takes
some minutes; --out names a folder for the files.`,
		Example: `  planner calibrate --from bench.txt --hardware h100-sxm-80gb --out ours.toml
  planner calibrate --from runs.tsv --hardware aws-p5 --out ours.toml
  planner calibrate --measure --emulate 2x2:nvlink=400MB/s,ib=40MB/s,delay=1ms --out ours.toml
  planner calibrate --measure --hardware host --out host.toml
  planner calibrate --out fitted/`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error { return k.run(c) },
	}
	f := c.Flags()
	f.StringVar(&k.from, "from", "", "nccl-tests output (any text), or measured steps (FILE.tsv)")
	f.StringVar(&k.hardware, "hardware", "", "cluster that was measured (default "+ask.DefaultHardware+", or the table's)")
	f.StringVar(&k.runs, "runs", "", "table of runs to fit on (default: the published runs)")
	f.StringVar(&k.collectives, "collectives", "", "table of measured collectives: fit the constants of links on it alone")
	f.StringVarP(&k.out, "out", "o", "", "hardware TOML, or folder, to write (default: standard output, the hardware TOML alone)")
	k.measured.addTo(c)
	return c
}

func (k *calibration) run(c *cobra.Command) error {
	if k.measured.on {
		return k.measure(c)
	}
	if err := k.together(c); err != nil {
		return err
	}
	if k.collectives != "" {
		return k.fitCollectives(c)
	}
	if k.from == "" {
		return k.study(c)
	}
	text, err := catalog.ReadFile("nccl-tests output or table of runs", k.from)
	if err != nil {
		return err
	}
	if filepath.Ext(k.from) == ".tsv" {
		return k.steps(c, text)
	}
	return k.links(c, text)
}

// together refuses flags that nothing would read without --measure.
func (k *calibration) together(c *cobra.Command) (err error) {
	sources := 0
	for _, given := range []string{k.from, k.runs, k.collectives} {
		if given != "" {
			sources++
		}
	}
	if sources > 1 {
		return catalog.Errorf("--from, --runs, --collectives: %d sources of measurements: want one", sources)
	}
	c.Flags().Visit(func(f *pflag.Flag) {
		if err == nil && strings.HasPrefix(f.Usage, "with --measure:") {
			err = catalog.Errorf("--%s %s: says how to measure: want --measure with it", f.Name, f.Value)
		}
	})
	return err
}

// today is the date of what a user measures.
func today() string { return time.Now().Format(time.DateOnly) }

// write writes a hardware TOML, unless --hardware would refuse it.
func (k *calibration) write(c *cobra.Command, text string) error {
	if _, err := catalog.ParseCluster("as calibrated", []byte(text)); err != nil {
		first, _, _ := strings.Cut(err.Error(), "\n")
		return catalog.Errorf("%s: no hardware: %s", k.from, first)
	}
	_, err := deliver(c, k.out, []byte(text))
	return err
}

// published reads the runs of --runs, or those that come with planner.
func (k *calibration) published(c *cobra.Command) ([]validate.Run, error) {
	if k.runs == "" {
		return validate.BundledRuns()
	}
	t, err := validate.RunsFile(k.runs)
	if err != nil {
		return nil, err
	}
	noteIgnored(c, t.Ignored)
	return t.Runs, nil
}

func (k *calibration) study(c *cobra.Command) error {
	runs, err := k.published(c)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(runs, func(r validate.Run) bool { return r.Step > 0 || r.Tokens > 0 }) {
		return catalog.Errorf("--runs %s: no row with a measured step: want step_seconds or tokens_per_second_per_gpu", k.runs)
	}
	s, err := interruptible(c.Context(), func() *calibrate.Study {
		return calibrate.NewStudy(runs, today(), func(stage string) { fmt.Fprintln(c.ErrOrStderr(), stage) })
	})
	if err != nil {
		return err
	}
	show.Runs(c.OutOrStdout(), "table", s.Report(runs))
	if k.out == "" {
		_, err := fmt.Fprint(c.OutOrStdout(), s.AccuracyMD())
		return err
	}
	return k.files(s)
}

// files writes what belongs in presets/ and docs/.
func (k *calibration) files(s *calibrate.Study) error {
	for name, text := range map[string]string{
		"profiles-fit.toml": s.Fit.ProfilesTOML(s.AsOf), "hardware-fit.toml": s.Fit.GPUsTOML(s.AsOf),
		"bands.toml": s.BandsTOML(), "ACCURACY.md": s.AccuracyMD(),
	} {
		if err := os.MkdirAll(k.out, 0o755); err != nil {
			return catalog.Errorf("--out %s: not a folder: %v", k.out, err)
		}
		if err := os.WriteFile(filepath.Join(k.out, name), []byte(text), 0o644); err != nil {
			return catalog.Errorf("--out %s: cannot be written: %v", k.out, err)
		}
	}
	return nil
}

// interruptible waits for long work or for Ctrl-C, whichever is first; the
// process ends with the work half done, and nothing has been written.
func interruptible[T any](ctx context.Context, work func() T) (T, error) {
	done := make(chan T, 1)
	go func() { done <- work() }()
	select {
	case v := <-done:
		return v, nil
	case <-ctx.Done():
		var none T
		return none, &noError{"interrupted: nothing is written"}
	}
}
