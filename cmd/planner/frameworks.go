package main

import (
	"github.com/spf13/cobra"

	"planner/internal/catalog"
	"planner/internal/show"
)

func newFrameworks() *cobra.Command {
	q := &question{}
	c := &cobra.Command{
		Use:     "frameworks",
		Short:   "List the framework profiles, what they can run and whose recipe they follow",
		Example: "  planner frameworks\n  planner frameworks --format json",
		Args:    unknownCommand,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := q.checkFormat(); err != nil {
				return err
			}
			profiles, err := catalog.Profiles("any")
			if err != nil {
				return err
			}
			list := show.NewFrameworks(profiles)
			if q.format == "json" {
				return show.JSON(c.OutOrStdout(), list)
			}
			show.Frameworks(c.OutOrStdout(), q.format, list)
			return nil
		},
	}
	c.Flags().StringVar(&q.format, "format", "", "table, json, csv, markdown (default table)")
	return c
}
