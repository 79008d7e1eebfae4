package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"planner/verify/gpu/worker"
	"planner/verify/reduce"
)

func newGemm() *cobra.Command {
	o := worker.GemmOptions{}
	dtype := ""
	c := &cobra.Command{
		Use:     "gemm MxNxK...",
		Short:   "Time matrix products through cuBLASLt: M outputs, N tokens, K inputs",
		Example: "  planner-gpu gemm 8192x8192x8192 28672x8192x8192 --dtype bf16",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			var ok bool
			if o.Type, ok = reduce.ParseDType(dtype); !ok {
				return errUsage{fmt.Errorf("--dtype %q: unknown: want f32, f16 or bf16", dtype)}
			}
			if o.Iters < 1 || o.Warmup < 0 {
				return errUsage{fmt.Errorf("--iters %d --warmup %d: too small: want at least 1 and 0", o.Iters, o.Warmup)}
			}
			for _, a := range args {
				s, err := worker.ParseShape(a)
				if err != nil {
					return errUsage{err}
				}
				o.Shapes = append(o.Shapes, s)
			}
			return worker.Gemms(c.Context(), o, c.OutOrStdout())
		},
	}
	fs := c.Flags()
	fs.StringVar(&dtype, "dtype", "bf16", "f32, f16, bf16")
	fs.BoolVar(&o.AMD, "amd", false, "an AMD GPU, through HIP and hipBLASLt")
	fs.IntVar(&o.GPU, "gpu", 0, "GPU to use")
	fs.IntVar(&o.Iters, "iters", 50, "timed iterations")
	fs.IntVar(&o.Warmup, "warmup", 10, "iterations before those")
	fs.DurationVar(&o.Timeout, "timeout", 30*time.Second, "bound on waiting for the GPU")
	fs.StringVar(&o.Driver, "libcuda", "", "path of libcuda.so.1 if the system does not find it")
	fs.StringVar(&o.BLAS, "libcublaslt", "", "path of libcublasLt.so if the system does not find it")
	return c
}
