package main

import (
	"github.com/spf13/cobra"

	"planner/internal/catalog"
	"planner/internal/show"
)

func newFrameworks() *cobra.Command {
	o := &form{}
	c := &cobra.Command{
		Use:   "frameworks",
		Short: "List the framework profiles, what they can run and whose recipe they follow",
		Long: `List the framework profiles, what they can run and whose recipe they follow, in order of preference: with
--framework any a layout stands under the first of them that runs it.`,
		Example: "  planner frameworks\n  planner frameworks --format json",
		Args:    unknownCommand,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := o.formatted(c); err != nil {
				return err
			}
			profiles, err := catalog.Profiles("any")
			if err != nil {
				return err
			}
			list := show.NewFrameworks(profiles)
			if o.format == "json" {
				return show.JSON(c.OutOrStdout(), list)
			}
			show.Frameworks(c.OutOrStdout(), o.format, list)
			return nil
		},
	}
	o.addFormat(c, c.Flags())
	return c
}
