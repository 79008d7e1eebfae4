package main

import (
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"planner/internal/catalog"
)

// newRoot returns the command line, whose answers go to out: the completion
// command takes its output when it is made.
func newRoot(out io.Writer) *cobra.Command {
	cobra.EnableCommandSorting = false
	root := &cobra.Command{
		Use:   "planner",
		Short: "Plan the parallel layout of LLM training",
		Long: `planner plans the parallel layout of LLM training: how to split a model over a
cluster, how fast it will run, and how we know.`,
		Example: `  planner suggest --model 70b --gpus 1024                              best layouts, ranked
  planner explain --model 70b --gpus 1024 --layout tp=4,pp=4,zero=1   every call, byte and formula`,
		Version:       version(),
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          unknownCommand,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.SetOut(out)
	root.SetVersionTemplate("planner {{.Version}}\n")
	root.SetFlagErrorFunc(flagError)
	root.AddGroup(&cobra.Group{ID: "plan", Title: "Plan"}, &cobra.Group{ID: "decide", Title: "Decide"},
		&cobra.Group{ID: "check", Title: "Check"}, &cobra.Group{ID: "know", Title: "Know"})
	add := func(group string, commands ...*cobra.Command) {
		for _, c := range commands {
			c.GroupID = group
			root.AddCommand(c)
		}
	}
	add("plan", newSuggest(), newExplain(), newExplore())
	add("decide", newCompare(), newSweep(), newSensitivity(), newReport(), newTrace(), newExport(), newPlan())
	add("check", newVerify(), newDoctor(), benchOnGPUs(newBench()), newValidate(), calibrateOnGPUs(newCalibrate()), newDiagnose(), newCheck())
	add("know", newModels(), newHardware(), newFrameworks(), newConfig())
	addTopics(root)
	leadWithExamples(root)
	root.SetHelpCommand(newHelp())
	root.AddCommand(newGenDocs())
	askForShell(root)
	giveOnce(root)
	return root
}

// askForShell has cobra's completion command refuse shells that it does not know.
func askForShell(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() == "completion" {
			c.Args = unknownCommand
			c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
		}
	}
}

// unknownCommand names the nearest command.
func unknownCommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, sub := range c.Commands() {
		names = append(names, sub.Name())
	}
	if n := catalog.Nearest(args[0], names); n != "" {
		return catalog.Errorf("unknown command %q: did you mean %q?", args[0], n)
	}
	return catalog.Errorf("unknown command %q: see %s --help", args[0], c.CommandPath())
}

// flagError names the nearest flag, and what a value should be.
func flagError(c *cobra.Command, err error) error {
	var missing *pflag.NotExistError
	if errors.As(err, &missing) {
		var names []string
		c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		if n := catalog.Nearest(missing.GetSpecifiedName(), names); n != "" {
			return catalog.Errorf("unknown flag %q: did you mean %q?", "--"+missing.GetSpecifiedName(), "--"+n)
		}
		return catalog.Errorf("unknown flag %q: see %s --help", "--"+missing.GetSpecifiedName(), c.CommandPath())
	}
	var invalid *pflag.InvalidValueError
	if errors.As(err, &invalid) {
		f := invalid.GetFlag()
		if cause := invalid.Unwrap(); cause == errTwice || cause == errEmpty {
			return catalog.Errorf("--%s %q: %v", f.Name, invalid.GetValue(), cause)
		}
		return catalog.Errorf("--%s %q: not a %s: want %s", f.Name, invalid.GetValue(), kindOf(f), wantOf(f))
	}
	return catalog.Errorf("%s", strings.ReplaceAll(err.Error(), "\n", " "))
}

func kindOf(f *pflag.Flag) string {
	switch f.Value.Type() {
	case "int", "int64":
		return "whole number"
	case "uint64":
		return "whole number of 0 or more"
	case "bool":
		return "boolean"
	case "float64":
		return "number"
	}
	return f.Value.Type()
}

func wantOf(f *pflag.Flag) string {
	if f.Name == "gpus" {
		return "1 to 1,048,576"
	}
	return "e.g. --" + f.Name + " " + example(f)
}

func example(f *pflag.Flag) string {
	if f.DefValue != "0" && f.DefValue != "" {
		return f.DefValue
	}
	switch {
	case f.Name == "seq-len":
		return "8192 or 8Ki"
	case f.Name == "global-batch":
		return "1024 or 1Ki"
	}
	switch f.Value.Type() {
	case "int", "int64":
		return "8"
	case "float64":
		return "0.5"
	}
	return "VALUE"
}

// release is the version of a release build, set by scripts/release.sh.
var release string

// version returns the version and the commit, where the build knows them.
func version() string {
	info, ok := debug.ReadBuildInfo()
	switch {
	case ok && release != "":
		return fmt.Sprintf("%s (%s)", strings.TrimPrefix(release, "v"), info.GoVersion)
	case !ok:
		return "unknown"
	}
	v := info.Main.Version
	if v == "" || v == "(devel)" {
		v = "devel"
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && !strings.Contains(v, s.Value[:min(12, len(s.Value))]) {
			v += " " + s.Value[:min(12, len(s.Value))]
		}
	}
	return fmt.Sprintf("%s (%s)", v, info.GoVersion)
}
