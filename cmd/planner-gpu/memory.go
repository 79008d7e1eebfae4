package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"planner/verify/bench"
	"planner/verify/gpu/worker"
	"planner/verify/reduce"
)

func newMemory() *cobra.Command {
	o := worker.MemoryOptions{}
	var dtype string
	var sizes []string
	c := &cobra.Command{
		Use:   "memory",
		Short: "Time memory-bound kernels: copy, residual, norm and its gradient, Adam",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			var ok bool
			if o.Type, ok = reduce.ParseDType(dtype); !ok {
				return errUsage{fmt.Errorf("--dtype %q: unknown: want f32, f16 or bf16", dtype)}
			}
			for _, s := range sizes {
				n, err := bench.ParseSize(s)
				if err != nil {
					return errUsage{fmt.Errorf("--sizes %w", err)}
				}
				o.Sizes = append(o.Sizes, n)
			}
			if o.Iters < 1 || o.Warmup < 0 || o.Cols < 1 || o.Cols > 1<<20 {
				return errUsage{fmt.Errorf("--iters %d --warmup %d --hidden %d: out of range: want at least 1, 0 and 1 to 1,048,576", o.Iters, o.Warmup, o.Cols)}
			}
			return worker.Memory(c.Context(), o, c.OutOrStdout())
		},
	}
	fs := c.Flags()
	fs.StringSliceVar(&sizes, "sizes", []string{"1M", "16M", "128M", "512M"}, "bytes of a tensor, or with K, M, G")
	fs.IntVar(&o.Cols, "hidden", 8192, "elements of a row of the norms")
	fs.StringVar(&dtype, "dtype", "bf16", "f32, f16, bf16")
	fs.BoolVar(&o.AMD, "amd", false, "an AMD GPU, through HIP")
	fs.IntVar(&o.GPU, "gpu", 0, "GPU to use")
	fs.IntVar(&o.Iters, "iters", 50, "timed iterations")
	fs.IntVar(&o.Warmup, "warmup", 10, "iterations before those")
	fs.DurationVar(&o.Timeout, "timeout", 30*time.Second, "bound on waiting for the GPU")
	fs.StringVar(&o.Driver, "libcuda", "", "path of libcuda.so.1 if the system does not find it")
	return c
}
