package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"planner/costmodel/collective"
	"planner/verify/bench"
	"planner/verify/gpu/worker"
	"planner/verify/reduce"
)

// benchFlags are the flags as given.
type benchFlags struct {
	backend, begin, end, dtype, redop, calls string
	o                                        worker.Options
}

func newBench(o worker.Options) *cobra.Command {
	f := &benchFlags{o: o}
	c := &cobra.Command{
		Use:   "bench [OPERATION]...",
		Short: "Check and time collectives",
		Long: `bench checks every element, then times. With --backend cuda all ranks are in
this process, several on a GPU if there are more ranks than GPUs. With nccl a
process is a rank: under torchrun, srun or mpirun this one, otherwise bench
starts one for every GPU of the machine.`,
		Example: `  planner-gpu bench                                        own kernels, a rank on every GPU
  planner-gpu bench --ranks 8 --gpus 0                     eight ranks on GPU 0
  planner-gpu bench --graphs -b 8K -e 64K                  small messages as CUDA graphs
  planner-gpu bench --backend nccl all_reduce all_gather --dtype bf16
  torchrun --no_python --nproc_per_node 8 planner-gpu bench --backend nccl`,
		RunE: func(c *cobra.Command, args []string) error {
			if err := f.options(args, c.InOrStdin()); err != nil {
				return errUsage{err}
			}
			return worker.Run(c.Context(), f.o, c.OutOrStdout(), c.ErrOrStderr())
		},
	}
	fs := c.Flags()
	fs.StringVar(&f.backend, "backend", string(o.Backend), "cuda (the engine's own kernels), nccl or rccl")
	fs.StringVarP(&f.begin, "minbytes", "b", "8K", "smallest size: bytes, or with K, M, G")
	fs.StringVarP(&f.end, "maxbytes", "e", "128M", "largest size")
	fs.IntVarP(&f.o.Factor, "stepfactor", "f", o.Factor, "each size is this many times the last")
	fs.StringVar(&f.dtype, "dtype", "f32", "f32, f16, bf16; with nccl and rccl also f64, i32")
	fs.StringVar(&f.redop, "redop", "sum", "sum, max, min, avg")
	fs.StringVar(&f.calls, "calls", "", "file with a JSON list of calls {op, dtype, bytes, size, stride} to measure instead; - is standard input")
	fs.IntVar(&f.o.Root, "root", 0, "root of broadcast, reduce, gather, scatter")
	fs.IntVar(&f.o.Ranks, "ranks", 0, "number of ranks; 0: one for every GPU")
	fs.IntSliceVar(&f.o.GPUs, "gpus", nil, "GPUs to use, in the order of the ranks")
	fs.BoolVar(&f.o.Processes, "processes", false, "cuda, hip: each rank a process of its own, as under a launcher")
	fs.BoolVar(&f.o.Graphs, "graphs", false, "cuda: launch each call as one CUDA graph")
	fs.IntVar(&f.o.Iters, "iters", o.Iters, "timed iterations")
	fs.IntVar(&f.o.Warmup, "warmup", o.Warmup, "iterations before those")
	fs.BoolVar(&f.o.Blocking, "blocking", false, "nccl, rccl: communicators whose calls return when enqueued")
	fs.DurationVar(&f.o.Timeout, "timeout", o.Timeout, "bound on waiting for the GPU or another rank")
	fs.StringVar(&f.o.Driver, "libcuda", "", "path of libcuda.so.1, or of libamdhip64.so with rccl, if the system does not find it")
	fs.StringVar(&f.o.NVML, "libnvml", "", "path of libnvidia-ml.so.1 if the system does not find it")
	fs.StringVar(&f.o.Library, "libnccl", "", "path of libnccl.so.2 or librccl.so.1 if the system does not find it")
	fs.StringVar(&f.o.Format, "format", o.Format, "table or json")
	return c
}

// options turns the flags into options.
func (f *benchFlags) options(args []string, in io.Reader) (err error) {
	f.o.Backend = worker.Backend(f.backend)
	var ok bool
	if f.o.Type, ok = reduce.ParseDType(f.dtype); !ok {
		return fmt.Errorf("--dtype %q: unknown: want f32, f16, bf16, f64 or i32", f.dtype)
	}
	if f.o.Reduction, ok = reduce.ParseOp(f.redop); !ok {
		return fmt.Errorf("--redop %q: unknown: want sum, max, min or avg", f.redop)
	}
	if f.o.Begin, err = bench.ParseSize(f.begin); err != nil {
		return fmt.Errorf("-b %w", err)
	}
	if f.o.End, err = bench.ParseSize(f.end); err != nil {
		return fmt.Errorf("-e %w", err)
	}
	if f.calls != "" {
		return f.readCalls(args, in)
	}
	for i, a := range args {
		op, ok := collective.ParseOp(a)
		if !ok || op >= collective.Send {
			return fmt.Errorf("operation %q: unknown: want one of %s", a, strings.Join(operations(), ", "))
		}
		if i == 0 {
			f.o.Ops = nil
		}
		f.o.Ops = append(f.o.Ops, op)
	}
	return f.o.Validate()
}

// readCalls takes the calls of a plan.
func (f *benchFlags) readCalls(args []string, in io.Reader) (err error) {
	if len(args) > 0 {
		return fmt.Errorf("operation %q with --calls: want one or the other", args[0])
	}
	if f.calls != "-" {
		file, err := os.Open(f.calls)
		if err != nil {
			return fmt.Errorf("--calls %s: cannot be read: want a file that can", f.calls)
		}
		defer file.Close()
		in = file
	}
	f.o.Ops = nil
	if f.o.Calls, err = worker.ReadWants(in); err != nil {
		return fmt.Errorf("--calls %s: %w", f.calls, err)
	}
	return f.o.Validate()
}

func operations() (names []string) {
	for op := range collective.Send {
		names = append(names, op.String())
	}
	return names
}
