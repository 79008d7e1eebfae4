package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"slices"

	"github.com/spf13/cobra"

	"planner/internal/catalog"
	"planner/internal/tui"
	"planner/internal/tui/state"
)

type exploreFlags struct {
	question
	keep  int
	theme string
	mouse bool
}

var themes = []string{"auto", "light", "dark"}

func newExplore() *cobra.Command {
	o := &exploreFlags{}
	c := &cobra.Command{
		Use:   "explore",
		Short: "Walk the trade-offs of all layouts on the terminal",
		Long: `explore opens a screen with every layout ranked: filter, sort, look behind any
of them, turn knobs and see what moves. ? lists the keys; every screen is also
a command, which stands in its last line but one.`,
		Example: `  planner explore --model 70b --gpus 1024
  planner explore --model 70b --gpus 1024 --max-memory 70GiB`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error { return runExplore(c, o) },
	}
	o.addTo(c)
	addConstraints(c.Flags(), &o.Limits)
	c.Flags().IntVar(&o.keep, "keep", 2000, "how many layouts to keep in the table")
	c.Flags().StringVar(&o.theme, "theme", "auto", "auto (asks the terminal), light or dark")
	complete(c, "theme", func() []string { return themes })
	c.Flags().BoolVar(&o.mouse, "mouse", true, "take the mouse; without it the terminal selects text")
	return c
}

func runExplore(c *cobra.Command, o *exploreFlags) error {
	a, err := o.answer(c)
	if err != nil {
		return err
	}
	if o.keep < 1 || o.keep > 100_000 {
		return catalog.Errorf("--keep %d: out of range: want 1 to 100,000", o.keep)
	}
	if !slices.Contains(themes, o.theme) {
		return catalog.Errorf("--theme %q: no such theme: want auto, light or dark", o.theme)
	}
	config := state.Config{Answer: a, Space: a.Space(), Keep: o.keep}
	for _, limit := range a.Limits.Words() {
		config.Limits = append(config.Limits, "--"+limit)
	}
	for _, sub := range c.Root().Commands() {
		config.Commands = append(config.Commands, sub.Name())
	}
	err = tui.Run(c.Context(), config, o.theme, o.mouse, runSelf)
	if errors.Is(err, tui.ErrNoTerminal) {
		return &noError{err.Error()}
	}
	return err
}

// runSelf runs this program with arguments and returns all that it prints.
func runSelf(ctx context.Context, args []string) string {
	self, err := os.Executable()
	if err != nil {
		return err.Error()
	}
	out, err := exec.CommandContext(ctx, self, args...).CombinedOutput()
	if err != nil && len(out) == 0 {
		return err.Error()
	}
	return string(out)
}
