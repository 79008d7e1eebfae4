package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"planner/internal/catalog"
)

// answersAll says which flags a saved plan answers: those of a question.
func answersAll() func(flag string) bool {
	own := &cobra.Command{}
	(&question{}).addTo(own)
	return func(flag string) bool { return own.Flags().Lookup(flag) != nil }
}

// refuseAnswered refuses the flags that were typed though what was given, such
// as "--from plan.toml", answers them: they would change nothing. Called before
// saved defaults are applied, it leaves those alone.
func refuseAnswered(f *pflag.FlagSet, given string, answers func(flag string) bool) error {
	var names []string
	f.Visit(func(g *pflag.Flag) {
		if answers(g.Name) {
			names = append(names, g.Name)
		}
	})
	if names == nil {
		return nil
	}
	return catalog.Errorf("%s: answers %s: leave out --%s", given, strings.Join(names, ", "), strings.Join(names, ", --"))
}

// allBut says which flags a finished measurement answers: all but those listed.
func allBut(names ...string) func(flag string) bool {
	return func(flag string) bool { return !slices.Contains(names, flag) }
}
