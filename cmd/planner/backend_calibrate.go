package main

import (
	"cmp"
	"io"

	"github.com/spf13/cobra"

	"planner/internal/catalog"
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
	name := cmp.Or(c.Flag("hardware").Value.String(), presetOf(x.Name))
	if name == "" {
		return catalog.Errorf("--hardware: missing: no preset is known for %q: give the nearest", x.Name)
	}
	cluster, err := catalog.Cluster(name, max(x.GPUs, 1))
	if err != nil {
		return err
	}
	m, d, err := measuredOn(c, x)
	if err != nil {
		return gpuFault(err)
	}
	fit, err := gpufit.Of(cluster, m, gpufit.Lines(d, 1))
	if err != nil {
		return gpuFault(err)
	}
	noteFit(c.ErrOrStderr(), fit, append(m.Notes, d.Notes...))
	text, err := fit.TOML(name, cluster, m, today())
	if err != nil {
		return err
	}
	_, err = deliver(c, c.Flag("out").Value.String(), []byte(text))
	return err
}

// measuredOn measures the GPUs alone, and where there are several the
// collectives of all.
func measuredOn(c *cobra.Command, x *chosenBackend) (*start.Machine, *start.Document, error) {
	show.Note(c.ErrOrStderr(), "measures", "products, memory traffic, copies between %d GPUs", x.GPUs)
	m, err := start.MeasureMachine(c.Context(), x.Path, x.Backend == "rccl" || x.Backend == "hip", c.ErrOrStderr())
	if err != nil || x.GPUs < 2 {
		return m, &start.Document{}, err
	}
	show.Note(c.ErrOrStderr(), "measures", "collectives of all %d GPUs", x.GPUs)
	d, err := start.Measure(c.Context(), x.Path, x.Backend, x.GPUs, gpufit.Calls(x.GPUs), c.ErrOrStderr())
	return m, d, err
}

// noteFit says what was fitted, how much nearer it comes, and what was noted on
// the way.
func noteFit(w io.Writer, fit *gpufit.Fit, notes []string) {
	show.Note(w, "products", "%.3f of the peak, half of that at K = %.0f; off by %.1f %% before, %.1f %% after", fit.GEMM, fit.HalfK, 100*fit.Before, 100*fit.After)
	show.Note(w, "memory", "%.3f of the bandwidth", fit.Memory)
	for _, r := range fit.Links {
		show.Note(w, string(r.Kind), "%.2f of the modelled rate over %d lines; error %.1f %% before, %.1f %% after", r.Factor, r.Lines, 100*r.Before, 100*r.After)
	}
	for _, n := range notes {
		show.Note(w, "note", "%s", n)
	}
}
