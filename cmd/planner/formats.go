package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"planner/internal/catalog"
)

// formats are the values of --format.
var formats = []string{"table", "json", "csv", "markdown"}

// form is what a result that has several forms is written as.
type form struct{ format string }

// addFormat adds --format.
func (o *form) addFormat(c *cobra.Command, f *pflag.FlagSet) {
	f.StringVar(&o.format, "format", "", strings.Join(formats, ", ")+" (default table)")
	complete(c, "format", func() []string { return formats })
}

// formatted resolves the format of a command that asks no question.
func (o *form) formatted(c *cobra.Command) error {
	if err := applySettings(c.Flags(), []string{"format"}); err != nil {
		return err
	}
	return o.checkFormat()
}

func (o *form) checkFormat() error {
	if o.format == "" {
		o.format = "table"
	}
	if slices.Contains(formats, o.format) {
		return nil
	}
	return catalog.Errorf("--format %q: no such format: want table, json, csv or markdown", o.format)
}
