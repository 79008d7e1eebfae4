package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"planner/internal/catalog"
	"planner/internal/export"
	"planner/internal/gpufit"
	"planner/internal/show"
	"planner/verify/gpu/start"
)

// calibrateOnGPUs gives calibrate --measure its --backend.
func calibrateOnGPUs(c *cobra.Command) *cobra.Command {
	c.Example += "\n  planner calibrate --measure --backend nccl --out ours.toml          products, memory and links of this machine's GPUs"
	measures := func(backend string) error {
		if on, err := c.Flags().GetBool("measure"); err != nil || !on {
			return catalog.Errorf("--backend %s: says what --measure runs on: want --measure with it", backend)
		}
		return nil
	}
	return orOnGPUs(c, measures, func(c *cobra.Command, _ []string, x *chosenBackend) error { return measureGPUs(c, x) })
}

// measureGPUs measures this machine's GPUs and writes the hardware TOML.
func measureGPUs(c *cobra.Command, x *chosenBackend) error {
	name, out := c.Flag("hardware").Value.String(), c.Flag("out").Value.String()
	if name == "" {
		if name = presetOf(x.Name); name == "" {
			return catalog.Errorf("--hardware: missing: no preset is known for %q: give the nearest", x.Name)
		}
	}
	cluster, err := catalog.Cluster(name, max(x.GPUs, 1))
	if err != nil {
		return err
	}
	show.Note(c.ErrOrStderr(), "measures", "products, memory traffic, copies between %d GPUs", x.GPUs)
	m, err := start.MeasureMachine(c.Context(), x.Path, x.Backend == "rccl" || x.Backend == "hip", c.ErrOrStderr())
	if err != nil {
		return gpuFault(err)
	}
	d := &start.Document{}
	if x.GPUs > 1 {
		show.Note(c.ErrOrStderr(), "measures", "collectives of all %d GPUs", x.GPUs)
		if d, err = start.Measure(c.Context(), x.Path, x.Backend, x.GPUs, gpufit.Calls(x.GPUs), c.ErrOrStderr()); err != nil {
			return gpuFault(err)
		}
	}
	fit, err := gpufit.Of(cluster, m, gpufit.Lines(d, 1))
	if err != nil {
		return gpuFault(err)
	}
	w := c.ErrOrStderr()
	show.Note(w, "products", "%.3f of the peak, half of that at K = %.0f; off by %.1f %% before, %.1f %% after", fit.GEMM, fit.HalfK, 100*fit.Before, 100*fit.After)
	show.Note(w, "memory", "%.3f of the bandwidth", fit.Memory)
	for _, r := range fit.Links {
		show.Note(w, string(r.Kind), "%.2f of the modelled rate over %d lines; error %.1f %% before, %.1f %% after", r.Factor, r.Lines, 100*r.Before, 100*r.After)
	}
	for _, n := range append(m.Notes, d.Notes...) {
		show.Note(w, "note", "%s", n)
	}
	text, err := fit.TOML(name, cluster, m, today())
	if err != nil {
		return err
	}
	if out == "" {
		_, err := fmt.Fprint(c.OutOrStdout(), text)
		return err
	}
	return export.WriteFile(out, []byte(text))
}
