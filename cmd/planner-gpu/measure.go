package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"planner/verify/gpu/worker"
)

func newMeasure() *cobra.Command {
	o := worker.MachineOptions{Copy: 256 << 20}
	c := &cobra.Command{
		Use:   "measure",
		Short: "Measure products, memory and copies for planner calibrate --measure",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if o.Iters < 1 || o.Warmup < 0 {
				return errUsage{fmt.Errorf("--iters %d --warmup %d: too small: want at least 1 and 0", o.Iters, o.Warmup)}
			}
			return worker.MeasureMachine(c.Context(), o, c.OutOrStdout())
		},
	}
	fs := c.Flags()
	fs.BoolVar(&o.AMD, "amd", false, "AMD GPUs, through HIP and hipBLASLt")
	fs.IntVar(&o.Iters, "iters", 30, "timed iterations")
	fs.IntVar(&o.Warmup, "warmup", 10, "iterations before those")
	fs.DurationVar(&o.Timeout, "timeout", 30*time.Second, "bound on waiting for the GPU")
	fs.StringVar(&o.Driver, "libcuda", "", "path of libcuda.so.1 if the system does not find it")
	fs.StringVar(&o.BLAS, "libcublaslt", "", "path of libcublasLt.so")
	fs.StringVar(&o.NVML, "libnvml", "", "path of libnvidia-ml.so.1")
	return c
}
