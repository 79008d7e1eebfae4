package main

import (
	"bytes"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"planner/hardware"
	"planner/internal/ask"
	"planner/internal/calibrate"
	"planner/internal/catalog"
	"planner/internal/validate"
)

// links scales the links of a cluster to nccl-tests of it.
func (k *calibration) links(c *cobra.Command, text []byte) error {
	log, err := calibrate.ReadBench(k.from, bytes.NewReader(text))
	if err != nil {
		return err
	}
	if k.hardware == "" {
		k.hardware = ask.DefaultHardware
	}
	cluster, err := catalog.Described(k.hardware)
	if err != nil {
		return err
	}
	k.noteLog(c, log, cluster.GPU.Name)
	rates, err := calibrate.FromBench(cluster, log.Lines)
	if err != nil {
		return catalog.Errorf("%s: %v", k.from, err)
	}
	for _, r := range rates {
		fmt.Fprintln(c.ErrOrStderr(), &r)
	}
	k.forget(c, &cluster.GPU.Fit)
	file, err := calibrate.HardwareTOML(k.hardware, cluster, "nccl-tests: "+filepath.Base(k.from), today())
	if err != nil {
		return err
	}
	return k.write(c, file)
}

// forget takes out what steps said of the cluster with its links of before.
func (k *calibration) forget(c *cobra.Command, fit *hardware.Efficiency) {
	if fit.Correction != 0 {
		fmt.Fprintf(c.ErrOrStderr(), "note: the correction of %s was of its links of before: left out; measured steps give one again\n", k.hardware)
	}
	fit.Correction, fit.Spread = 0, [2]float64{}
}

// noteLog says which lines do not count, and that the log is of another part
// than the cluster. A device that no preset is known for tells nothing.
func (k *calibration) noteLog(c *cobra.Command, log *calibrate.BenchLog, part string) {
	w := c.ErrOrStderr()
	if log.Wrong > 0 {
		fmt.Fprintf(w, "note: %d of %d lines have #wrong above 0: skipped\n", log.Wrong, log.Wrong+len(log.Lines))
	}
	for _, d := range log.Devices {
		if of := presetOf(d); of != "" && of != part {
			fmt.Fprintf(w, "note: %s lists %s, and --hardware %s is of %s: want --hardware %s, or a cluster of it\n", k.from, d, k.hardware, part, of)
		}
	}
}

// steps fits one factor to measured steps of a cluster.
func (k *calibration) steps(c *cobra.Command, text []byte) error {
	t, err := validate.ReadRunTable(k.from, bytes.NewReader(text))
	if err != nil {
		return err
	}
	noteIgnored(c, t.Ignored)
	f, err := calibrate.FromRuns(k.from, t.Runs, k.hardware)
	if err != nil {
		return err
	}
	f.Render(c.ErrOrStderr())
	file, err := f.TOML("measured steps: "+filepath.Base(k.from), today())
	if err != nil {
		return err
	}
	return k.write(c, file)
}
