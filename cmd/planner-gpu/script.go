package main

import (
	"github.com/spf13/cobra"

	"planner/verify/gpu/script"
)

func newScript() *cobra.Command {
	o := script.Options{}
	c := &cobra.Command{
		Use:   "script slurm|torchrun|mpirun|k8s [-- ARGUMENT...]",
		Short: "Print what starts a measurement over NCCL on a cluster",
		Example: `  planner-gpu script slurm --nodes 4 > verify.sbatch
  planner-gpu script k8s --nodes 2 --image registry/planner:1 -- bench --backend nccl all_gather`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			kind, err := script.ParseKind(args[0])
			if err != nil {
				return errUsage{err}
			}
			if o.Kind, o.Args = kind, args[1:]; len(o.Args) == 0 {
				o.Args = []string{"bench", "--backend", "nccl"}
			}
			text, err := script.Write(o)
			if err != nil {
				return errUsage{err}
			}
			_, err = c.OutOrStdout().Write([]byte(text))
			return err
		},
	}
	fs := c.Flags()
	fs.IntVar(&o.Nodes, "nodes", 1, "nodes")
	fs.IntVar(&o.PerNode, "gpus-per-node", 8, "GPUs of a node")
	fs.StringVar(&o.Program, "program", "", "planner-gpu as the nodes find it")
	fs.StringVar(&o.Name, "name", "", "name of the job")
	fs.StringVar(&o.Image, "image", "", "container image, for k8s")
	fs.IntVar(&o.Minutes, "minutes", 15, "time limit")
	return c
}
