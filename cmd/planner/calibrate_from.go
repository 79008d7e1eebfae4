package main

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"

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
	cluster, err := k.described()
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
	return k.write(c, calibrate.HardwareTOML(cluster, nil, "nccl-tests: "+filepath.Base(k.from), today()))
}

// described returns the cluster to calibrate. The file to write names the
// preset of its accelerator, so that it must have one.
func (k *calibration) described() (*hardware.Cluster, error) {
	c, err := catalog.Described(k.hardware)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(catalog.AcceleratorNames(), c.GPU.Name) {
		return nil, catalog.Errorf("--hardware %s: gpu %q: no preset's name, which a calibrated file is written with: want gpu = \"h100-sxm-80gb\", or the preset nearest to it",
			k.hardware, c.GPU.Name)
	}
	return c, nil
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
	f, err := calibrate.FromRuns(k.from, t.Runs)
	if err != nil {
		return err
	}
	if k.hardware == "" {
		k.hardware = f.GPU
	}
	cluster, err := k.described()
	if err != nil {
		return err
	}
	if cluster.GPU.Name != f.Part {
		return catalog.Errorf("--hardware %s: a cluster of %s: the runs of %s are of %s: want a cluster of that, or no --hardware",
			k.hardware, cluster.GPU.Name, k.from, f.GPU)
	}
	f.Render(c.ErrOrStderr())
	return k.write(c, calibrate.HardwareTOML(cluster, f, "measured steps: "+filepath.Base(k.from), today()))
}
