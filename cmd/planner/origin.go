package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"planner/internal/catalog"
)

// nameOrigins has every command say of the faults of values that nobody typed
// where they are saved.
func nameOrigins(c *cobra.Command) {
	if run := c.RunE; run != nil {
		c.RunE = func(c *cobra.Command, args []string) error { return withOrigin(c.Flags(), run(c, args)) }
	}
	for _, sub := range c.Commands() {
		nameOrigins(sub)
	}
}

func withOrigin(f *pflag.FlagSet, err error) error {
	var fault *catalog.Error
	if !errors.As(err, &fault) {
		return err
	}
	nameFlag(f.Lookup("hardware"), fault)
	f.VisitAll(func(flag *pflag.Flag) {
		origin := flag.Annotations[savedIn]
		if origin == nil {
			return
		}
		for i, line := range fault.Faults {
			if isOf(line, flag) {
				fault.Faults[i] = origin[0] + ": " + line
			}
		}
	})
	return err
}

// nameFlag has the fault of a hardware that nobody knows name the flag that it was
// typed at: tables of runs hold such names as well.
func nameFlag(flag *pflag.Flag, fault *catalog.Error) {
	if flag == nil || !flag.Changed || flag.Annotations[savedIn] != nil {
		return
	}
	for i, line := range fault.Faults {
		if rest, is := strings.CutPrefix(line, fmt.Sprintf("unknown hardware %q: ", flag.Value)); is {
			fault.Faults[i] = fmt.Sprintf("--hardware %q: no such preset: %s", flag.Value, rest)
		}
	}
}

// isOf reports whether a fault is that of a flag's value: it starts with both,
// or does so behind the quoted argument of compare that was asked.
func isOf(line string, flag *pflag.Flag) bool {
	value := flag.Value.String()
	heads := []string{fmt.Sprintf("--%s %s:", flag.Name, value), fmt.Sprintf("--%s %q:", flag.Name, value)}
	if flag.Name == "hardware" || flag.Name == "model" { // of a file its own name
		heads = append(heads, fmt.Sprintf("unknown %s %q:", flag.Name, value), value+": ")
	}
	for _, head := range heads {
		before, _, found := strings.Cut(line, head)
		if found && (before == "" || strings.HasPrefix(before, `"`) && strings.HasSuffix(before, `": `)) {
			return true
		}
	}
	return false
}
