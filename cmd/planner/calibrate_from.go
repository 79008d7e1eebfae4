package main

import (
	"bytes"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"planner/internal/ask"
	"planner/internal/calibrate"
	"planner/internal/catalog"
	"planner/internal/validate"
)

// links scales the links of a cluster to nccl-tests of it.
func (k *calibration) links(c *cobra.Command, text []byte) error {
	lines, err := calibrate.ReadBench(k.from, bytes.NewReader(text))
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
	rates, err := calibrate.FromBench(cluster, lines)
	if err != nil {
		return err
	}
	for _, r := range rates {
		fmt.Fprintln(c.ErrOrStderr(), &r)
	}
	return k.write(c, calibrate.HardwareTOML(cluster, nil, "nccl-tests: "+filepath.Base(k.from), today()))
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
	cluster, err := catalog.Described(k.hardware)
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
