package main

import (
	"github.com/spf13/cobra"

	"planner/internal/export"
)

// deliver writes what a command was asked for into a file, whole or not at
// all, or on standard output; saved says that it is in the file.
func deliver(c *cobra.Command, path string, text []byte) (saved bool, err error) {
	if export.IsOutput(path) {
		_, err = c.OutOrStdout().Write(text)
		return false, err
	}
	err = export.WriteFile(path, text)
	return err == nil, err
}
