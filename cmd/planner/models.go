package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"planner/internal/catalog"
	"planner/internal/show"
	"planner/strategies"
)

func newModels() *cobra.Command {
	o := &form{}
	c := &cobra.Command{
		Use:   "models",
		Short: "List the model presets, or show one",
		Example: `  planner models
  planner models show 70b
  planner models show ./config.json --format json`,
		Args: unknownCommand,
		RunE: func(c *cobra.Command, _ []string) error { return listModels(c, o) },
	}
	o.addFormat(c, c.PersistentFlags())
	seq := 0
	showOne := &cobra.Command{
		Use:     "show NAME|PATH",
		Short:   "Show one model: a preset, a bare size, a config.json or a model TOML",
		Example: "  planner models show llama3.1-70b --seq-len 4096 --format json",
		Args:    oneArgument("a model: a preset, a size like 70b, or a path"),
		RunE:    func(c *cobra.Command, args []string) error { return showModel(c, o, args[0], seq) },
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return catalog.ModelNames(), cobra.ShellCompDirectiveDefault
		},
	}
	countVar(showOne.Flags(), &seq, "seq-len", "tokens of a sequence, e.g. 128Ki (default 8192, or the model's maximum)")
	c.AddCommand(showOne)
	return c
}

// oneArgument asks for exactly one argument, and says for what.
func oneArgument(what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		name := strings.TrimPrefix(c.CommandPath(), c.Root().Name()+" ")
		switch len(args) {
		case 0:
			return catalog.Errorf("%s: nothing given: want %s", name, what)
		case 1:
			return nil
		}
		return catalog.Errorf("%s: %d arguments given: want one, %s", name, len(args), what)
	}
}

func listModels(c *cobra.Command, o *form) error {
	if err := o.formatted(c); err != nil {
		return err
	}
	var facts []show.ModelFacts
	for _, name := range catalog.ModelNames() {
		m, err := catalog.Model(name)
		if err != nil {
			return err
		}
		facts = append(facts, show.NewModelFacts(m, strategies.DefaultSeq(m)))
	}
	if o.format == "json" {
		return show.JSON(c.OutOrStdout(), facts)
	}
	show.Models(c.OutOrStdout(), o.format, facts)
	if o.format == "table" {
		show.Aliases(c.ErrOrStderr(), catalog.ModelAliases(), columnsOf(c.ErrOrStderr()))
	}
	return nil
}

func showModel(c *cobra.Command, o *form, ref string, seq int) error {
	if err := o.formatted(c); err != nil {
		return err
	}
	if f := c.Flags().Lookup("seq-len"); f.Changed && seq < 1 {
		return catalog.Errorf("--seq-len %d: too small: want at least 1", seq)
	}
	m, err := catalog.ModelAs("model", ref)
	if err != nil {
		return err
	}
	if seq == 0 {
		seq = strategies.DefaultSeq(m)
	}
	f := show.NewModelFacts(m, seq)
	switch o.format {
	case "json":
		return show.JSON(c.OutOrStdout(), f)
	case "table":
		show.Model1(c.OutOrStdout(), m, f)
	default:
		show.Models(c.OutOrStdout(), o.format, []show.ModelFacts{f})
	}
	for _, n := range m.Notes {
		fmt.Fprintln(c.ErrOrStderr(), "note:", n)
	}
	return nil
}
