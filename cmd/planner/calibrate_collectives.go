package main

import (
	"bytes"
	"fmt"

	"github.com/spf13/cobra"

	"planner/costmodel/collective"
	"planner/internal/catalog"
	"planner/internal/validate"
)

// fitCollectives fits the constants of collective calls to a table of measured
// ones and writes presets/collectives/fit.toml.
func (k *calibration) fitCollectives(c *cobra.Command) error {
	text, err := catalog.ReadFile("tab-separated table of measurements", k.collectives)
	if err != nil {
		return err
	}
	rows, err := validate.ReadCollectives(k.collectives, bytes.NewReader(text))
	if err != nil {
		return err
	}
	samples, err := validate.Samples(rows)
	if err != nil {
		return err
	}
	if len(samples) == 0 {
		return catalog.Errorf("--collectives %s: no row with a time: want time_us, algbw_GBs or busbw_GBs", k.collectives)
	}
	type fitted struct {
		constants collective.Constants
		report    collective.Report
	}
	f, err := interruptible(c.Context(), func() fitted {
		constants, report := collective.Calibrate(samples)
		return fitted{constants, report}
	})
	if err != nil {
		return err
	}
	rep, err := validate.Collectives(rows, &f.constants)
	if err != nil {
		return err
	}
	a, b := rep.Summary.Above, rep.Summary.Below
	fmt.Fprintf(c.ErrOrStderr(), "%d samples, %d iterations; error above 64 KiB median %.1f %%, P90 %.1f %%, up to it %.1f %%, %.1f %%\n",
		len(samples), f.report.Iterations, a.Median, a.P90, b.Median, b.P90)
	source := fmt.Sprintf("%d published nccl-tests measurements from the GitHub repositories named at each link; prior: NCCL 2.30.7 src/graph/tuning.cc", len(samples))
	return k.write(c, string(catalog.EncodeCollectives(&f.constants, &f.report, source, today())))
}
