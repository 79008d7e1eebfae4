package main

import (
	"github.com/spf13/cobra"

	"planner/internal/catalog"
	"planner/internal/doctor"
	"planner/internal/show"
)

func newDoctor() *cobra.Command {
	var format string
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Say what this machine offers for verification",
		Long: `doctor lists the cores, memory, GPUs, NICs, NVIDIA driver and NCCL of this machine,
and the launcher that started the process, and says which back end planner verify
would use, and why. It changes nothing.`,
		Example: `  planner doctor
  planner doctor --format json`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			if format != "table" && format != "json" {
				return catalog.Errorf("--format %q: no such format: want table or json", format)
			}
			r := doctor.Examine(c.Context())
			if format == "json" {
				return show.JSON(c.OutOrStdout(), r)
			}
			doctor.Render(c.OutOrStdout(), r)
			return nil
		},
	}
	c.Flags().StringVar(&format, "format", "table", "table or json")
	complete(c, "format", func() []string { return []string{"table", "json"} })
	return c
}
