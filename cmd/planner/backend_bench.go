package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"planner/internal/catalog"
)

// benchOnGPUs gives bench its --backend: planner-gpu takes the flags that both
// have, as one rank where a launcher started this process.
func benchOnGPUs(c *cobra.Command) *cobra.Command {
	c.Example += "\n  planner bench --backend auto all_reduce -b 8K -e 1G                 on this machine's GPUs, if it has any"
	return orOnGPUs(c, func(string) error { return nil }, func(c *cobra.Command, args []string, x *chosenBackend) error {
		forward, err := benchArguments(c.Flags(), x.Backend)
		if err != nil {
			return err
		}
		if _, err := parseOps(args); err != nil {
			return err
		}
		return runGPU(c.Context(), x.Path, append(forward, args...), c.OutOrStdout(), c.ErrOrStderr())
	})
}

// sharedFlags are those of planner-gpu bench that bench has too, by its name.
var sharedFlags = []string{"minbytes", "maxbytes", "stepfactor", "dtype", "redop", "root", "ranks", "iters", "warmup", "timeout", "format"}

// benchArguments are planner-gpu's arguments for the flags that were given.
func benchArguments(fs *pflag.FlagSet, backend string) ([]string, error) {
	args := []string{"bench", "--backend", backend}
	shared := map[string]bool{"backend": true}
	for _, n := range sharedFlags {
		shared[n] = true
	}
	var err error
	fs.Visit(func(f *pflag.Flag) {
		switch {
		case f.Name == "backend":
		case !shared[f.Name] && err == nil:
			err = catalog.Errorf("--%s: not with --backend %s: of the host's engine alone", f.Name, backend)
		case f.Name == "format" && f.Value.String() != "table" && f.Value.String() != "json" && err == nil:
			err = catalog.Errorf("--format %s: not with --backend %s: want table or json", f.Value, backend)
		default:
			args = append(args, "--"+f.Name, f.Value.String())
		}
	})
	return args, err
}

// runGPU runs planner-gpu, which has said why when it fails.
func runGPU(ctx context.Context, path string, args []string, out, errOut io.Writer) error {
	p := exec.CommandContext(ctx, path, args...)
	p.Cancel = func() error { return p.Process.Signal(os.Interrupt) }
	p.Stdin, p.Stdout, p.Stderr = os.Stdin, out, errOut
	err := p.Run()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return &noError{}
	}
	if err != nil {
		return &noError{fmt.Sprintf("%s: cannot be started: %v", path, errors.Unwrap(err))}
	}
	return nil
}
