package main

import (
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"planner/verify/gpu/worker"
)

func newReplay() *cobra.Command {
	o := worker.ReplayOptions{Options: worker.Default()}
	o.Backend = worker.NCCL
	var backend, work string
	c := &cobra.Command{
		Use:   "replay",
		Short: "Replay the steps of layouts: their calls in groups, their compute as real products",
		Long: `replay runs the steps of layouts, as planner verify writes them, on GPUs: calls
by NCCL, RCCL or the engine's own kernels, each on the stream of its axis, and
compute as matrix products of the layers' shapes beside. It prints a line of
JSON that planner verify --from reads. Only rank 0 reads the layouts.`,
		Example: `  planner verify --print slurm --nodes 2 ... > verify.sbatch      writes the layouts and starts this
  planner-gpu replay --backend nccl --work layouts.json > measured.json`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			o.Backend = worker.Backend(backend)
			if err := o.Validate(); err != nil {
				return errUsage{err}
			}
			if err := readWork(&o, work, c.InOrStdin()); err != nil {
				return errUsage{err}
			}
			return worker.Replay(c.Context(), o, c.OutOrStdout(), c.ErrOrStderr())
		},
	}
	fs := c.Flags()
	fs.StringVar(&backend, "backend", string(o.Backend), "cuda (the engine's own kernels), nccl or rccl")
	fs.StringVar(&work, "work", "-", "file with the layouts; - is standard input")
	fs.IntVar(&o.Ranks, "ranks", 0, "number of ranks; 0: one for every GPU")
	fs.IntSliceVar(&o.GPUs, "gpus", nil, "GPUs to use, in the order of the ranks")
	fs.BoolVar(&o.NoCompute, "calls-only", false, "leave the compute out")
	fs.BoolVar(&o.Blocking, "blocking", false, "nccl, rccl: communicators whose calls return when enqueued")
	fs.DurationVar(&o.Timeout, "timeout", o.Timeout, "bound on waiting for the GPU or another rank")
	fs.StringVar(&o.Driver, "libcuda", "", "path of libcuda.so.1, or of libamdhip64.so with rccl, if the system does not find it")
	fs.StringVar(&o.BLAS, "libcublaslt", "", "path of libcublasLt.so, or of libhipblaslt.so with rccl")
	fs.StringVar(&o.NVML, "libnvml", "", "path of libnvidia-ml.so.1 if the system does not find it")
	fs.StringVar(&o.Library, "libnccl", "", "path of libnccl.so.2 or librccl.so.1 if the system does not find it")
	return c
}

// readWork reads the layouts; under a launcher only rank 0 has them.
func readWork(o *worker.ReplayOptions, path string, in io.Reader) error {
	if !worker.First(os.Getenv) {
		return nil
	}
	if path != "-" {
		file, err := os.Open(path)
		if err != nil {
			return fmt.Errorf("--work %s: cannot be read: want a file that can", path)
		}
		defer file.Close()
		in = file
	}
	if err := o.ReadJob(in); err != nil {
		return fmt.Errorf("--work %s: %w", path, err)
	}
	return nil
}
