package main

import (
	"github.com/spf13/cobra"

	"planner/hardware"
	"planner/internal/catalog"
	"planner/internal/show"
)

func newHardware() *cobra.Command {
	o := &form{}
	c := &cobra.Command{
		Use:   "hardware",
		Short: "List the accelerator and cluster presets, or show one",
		Example: `  planner hardware
  planner hardware show h100-sxm-80gb
  planner hardware show ./mine.toml --gpus 64 --format json
  planner hardware show dgx-a100-80gb --format toml > mine.toml`,
		Args: unknownCommand,
		RunE: func(c *cobra.Command, _ []string) error { return listHardware(c, o) },
	}
	o.addFormat(c, c.PersistentFlags())
	gpus := 0
	showOne := &cobra.Command{
		Use:   "show NAME|PATH",
		Short: "Show one accelerator or cluster, with the source of its figures",
		Long: `Show one accelerator or cluster, with the source of its figures. --format toml
writes the file that describes it, to be edited and given to --hardware. Its keys, with units, defaults and
bounds: docs/HARDWARE.md.`,
		Args: oneArgument("a cluster or accelerator preset, or a cluster TOML"),
		RunE: func(c *cobra.Command, args []string) error { return showHardware(c, o, args[0], gpus) },
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return append(catalog.AcceleratorNames(), catalog.ClusterNames()...), cobra.ShellCompDirectiveDefault
		},
	}
	showOne.Flags().IntVar(&gpus, "gpus", 0, "number of GPUs (default two nodes)")
	c.AddCommand(showOne)
	return c
}

func listHardware(c *cobra.Command, o *form) error {
	if err := o.formatted(c); err != nil {
		return err
	}
	var list []show.HardwareFacts
	for _, kind := range []struct {
		name  string
		names []string
	}{{"accelerator", catalog.AcceleratorNames()}, {"cluster", catalog.ClusterNames()}} {
		for _, name := range kind.names {
			cluster, err := catalog.Cluster(name, 1024)
			if err != nil {
				return err
			}
			f := show.NewHardwareFacts(cluster)
			f.Kind, f.Name, f.Domain = kind.name, name, domain(name, cluster)
			list = append(list, f)
		}
	}
	if o.format == "json" {
		return show.JSON(c.OutOrStdout(), list)
	}
	show.Hardware(c.OutOrStdout(), o.format, list)
	return nil
}

func showHardware(c *cobra.Command, o *form, name string, gpus int) error {
	if o.format == "toml" {
		return writeClusterTOML(c, name)
	}
	if err := o.formatted(c); err != nil {
		return err
	}
	if f := c.Flags().Lookup("gpus"); f.Changed && gpus < 1 {
		return catalog.Errorf("--gpus %d: too small: want 1 to 1,048,576", gpus)
	}
	if gpus == 0 {
		one, err := catalog.Cluster(name, 1)
		if err != nil {
			return err
		}
		gpus = 2 * domain(name, one)
		if last := one.Tiers[len(one.Tiers)-1].Ranks; last > 0 {
			gpus = min(gpus, last)
		}
	}
	cluster, err := catalog.Cluster(name, gpus)
	if err != nil {
		return err
	}
	f := show.NewHardwareFacts(cluster)
	f.Domain = domain(name, cluster)
	if o.format == "json" {
		return show.JSON(c.OutOrStdout(), f)
	}
	if o.format == "table" {
		show.Hardware1(c.OutOrStdout(), f)
		return nil
	}
	show.Hardware(c.OutOrStdout(), o.format, []show.HardwareFacts{f})
	return nil
}

// writeClusterTOML writes a file that --hardware takes. It has no size.
func writeClusterTOML(c *cobra.Command, name string) error {
	if c.Flags().Changed("gpus") {
		return catalog.Errorf("--gpus with --format toml: a file describes machines of any number: leave out --gpus")
	}
	text, err := catalog.ClusterTOML(name)
	if err != nil {
		return err
	}
	_, err = c.OutOrStdout().Write(text)
	return err
}

// domain returns the GPUs that the scale-up links of a machine join as built,
// of which a job may use an equal share.
func domain(name string, c *hardware.Cluster) int {
	if whole, err := catalog.Described(name); err == nil {
		c = whole
	}
	return c.Domain()
}
