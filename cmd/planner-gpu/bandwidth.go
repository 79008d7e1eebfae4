package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"planner/verify/bench"
	"planner/verify/gpu/worker"
)

func newBandwidth() *cobra.Command {
	var size, driver string
	var iters int
	var amd bool
	c := &cobra.Command{
		Use:   "bandwidth",
		Short: "Copy between every two GPUs: the matrix in GB/s",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			n, err := bench.ParseSize(size)
			if err != nil {
				return errUsage{fmt.Errorf("--size %w", err)}
			}
			if n < 1 || iters < 1 {
				return errUsage{fmt.Errorf("--size %d --iters %d: too small: want at least 1 of each", n, iters)}
			}
			return worker.Bandwidth(c.Context(), amd, driver, n, iters, c.OutOrStdout())
		},
	}
	c.Flags().StringVar(&size, "size", "256M", "bytes of a copy, or with K, M, G")
	c.Flags().BoolVar(&amd, "amd", false, "AMD GPUs, through HIP")
	c.Flags().IntVar(&iters, "iters", 20, "timed copies")
	c.Flags().StringVar(&driver, "libcuda", "", "path of libcuda.so.1 if the system does not find it")
	return c
}
