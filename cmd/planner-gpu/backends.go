package main

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"planner/verify/gpu/worker"
)

func newBackends() *cobra.Command {
	var o worker.Libraries
	format := "table"
	c := &cobra.Command{
		Use:   "backends",
		Short: "Say which back ends this machine can run, and why not",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			all := worker.Backendable(o)
			switch format {
			case "json":
				return json.NewEncoder(c.OutOrStdout()).Encode(all)
			case "table":
			default:
				return errUsage{fmt.Errorf("--format %q: unknown: want table or json", format)}
			}
			for _, f := range all {
				state := "no "
				if f.Ready {
					state = fmt.Sprintf("yes  %d × %s, ", f.GPUs, f.Name)
				}
				fmt.Fprintf(c.OutOrStdout(), "%-5s %s %s\n", f.Backend, state, f.What)
			}
			return nil
		},
	}
	fs := c.Flags()
	fs.StringVar(&format, "format", format, "table or json")
	fs.StringVar(&o.CUDA, "libcuda", "", "path of libcuda.so.1 if the system does not find it")
	fs.StringVar(&o.NCCL, "libnccl", "", "path of libnccl.so.2")
	fs.StringVar(&o.HIP, "libamdhip64", "", "path of libamdhip64.so")
	fs.StringVar(&o.RCCL, "librccl", "", "path of librccl.so.1")
	return c
}
