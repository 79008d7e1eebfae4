// Command planner-gpu runs collectives on GPUs for planner: it is one rank of
// a job, or all ranks of one machine. It is a program of its own because it
// opens the vendors' libraries while it runs, which links it with the
// system's C library; planner itself stays static.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"planner/verify/gpu/worker"
	"planner/verify/launch"
)

func main() {
	launch.MaybeWorker()
	ctx, stop := launch.UntilSignalled(context.Background())
	err := newRoot().ExecuteContext(ctx)
	stop()
	os.Exit(status(err))
}

// errUsage marks errors of the input.
type errUsage struct{ error }

// status prints an error and returns the exit status: 1 could not, 2 the
// input is wrong.
func status(err error) int {
	if err == nil {
		return 0
	}
	fmt.Fprintln(os.Stderr, "planner-gpu:", err)
	var u errUsage
	if errors.As(err, &u) {
		return 2
	}
	return 1
}

func newRoot() *cobra.Command {
	c := &cobra.Command{
		Use:   "planner-gpu",
		Short: "Measure collectives on GPUs, by the engine's own kernels or by NCCL",
		Long: `planner-gpu runs collectives on NVIDIA GPUs, compares every element of the
result with exact data, and prints nccl-tests' columns. It needs no CUDA
toolkit: the driver and NCCL are opened while it runs.`,
		SilenceErrors: true, SilenceUsage: true,
	}
	c.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return errUsage{err} })
	c.AddCommand(newBench(worker.Default()), newReplay(), newBackends(), newMeasure(), newBandwidth(), newGemm(), newMemory(), newDevices(), newScript())
	return c
}
