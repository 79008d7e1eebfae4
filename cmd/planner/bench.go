package main

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"planner/costmodel/collective"
	"planner/costmodel/collective/steps"
	"planner/internal/catalog"
	"planner/verify/bench"
	"planner/verify/engine"
	"planner/verify/reduce"
	"planner/verify/transport"
)

// benchFlags are the flags as given.
type benchFlags struct {
	begin, end, dtype, redop, algo, transport, emulate, compare string
	cores                                                       []string
	o                                                           bench.Options
}

func newBench() *cobra.Command {
	f := &benchFlags{}
	c := &cobra.Command{
		Use:   "bench [OPERATION]...",
		Short: "Measure collectives on this machine, or on several",
		Long: `bench runs collectives with the bundled engine, compares every element of the
result with exact data, and prints nccl-tests' columns, then the algorithm, the
predicted time, and the p50 and p95 of the out-of-place runs. The time is that
of the slowest rank. Under torchrun, srun or mpirun every process is one rank;
otherwise bench starts the ranks.

Operations: ` + strings.Join(benchOps(), " "),
		Example: `  planner bench                                            all_reduce, 1 KiB to 64 MiB
  planner bench all_reduce -b 8 -e 128M -f 2 --ranks 4 --transport tcp
  planner bench all_gather reduce_scatter --algo ring --dtype bf16 --format csv
  planner bench --compare allreduce-vs-rs+ag --ranks 4
  planner bench --compare ring-vs-naive --ranks 4
  planner bench --ranks 4 --emulate 2x2:nvlink=400MB/s,ib=40MB/s,delay=1ms
  planner bench --hosts n0,n1 --address n0:29500 --ranks 4 --transport mixed`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			if err := f.options(args); err != nil {
				return err
			}
			return bench.Run(c.Context(), f.o, c.OutOrStdout(), c.ErrOrStderr())
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return benchOps(), cobra.ShellCompDirectiveNoFileComp
		},
	}
	f.addTo(c)
	return c
}

func (f *benchFlags) addTo(c *cobra.Command) {
	fs := c.Flags()
	fs.StringVarP(&f.begin, "minbytes", "b", "1K", "smallest size: bytes, or with K, M, G")
	fs.StringVarP(&f.end, "maxbytes", "e", "64M", "largest size")
	fs.IntVarP(&f.o.Factor, "stepfactor", "f", 4, "each size is this many times the last")
	fs.StringVar(&f.dtype, "dtype", "f32", "f32, f64, f16, bf16, i32")
	fs.StringVar(&f.redop, "redop", "sum", "sum, max, min, avg")
	fs.StringVar(&f.algo, "algo", "auto", "algorithm; auto chooses by size")
	fs.IntVar(&f.o.Root, "root", 0, "root of broadcast, reduce, gather, scatter")
	fs.IntVar(&f.o.Ranks, "ranks", 2, "number of ranks")
	fs.StringSliceVar(&f.cores, "cores", nil, "cores for the ranks, counting round, as 0,1 (default: a core each, where there are enough)")
	fs.StringVar(&f.transport, "transport", "shm", "goroutine, shm, tcp, unix, mixed")
	fs.StringSliceVar(&f.o.Hosts, "hosts", nil, "hosts to run on over ssh, with the same planner at the same path")
	fs.StringVar(&f.o.Address, "address", "", "host:port where rank 0 of --hosts listens")
	fs.StringVar(&f.emulate, "emulate", "", "emulate links, as 2x2:nvlink=400MB/s,ib=40MB/s,delay=1ms[,nics=1]")
	fs.IntVar(&f.o.Iters, "iters", 0, "timed iterations; 0: as many as fit 0.1 s")
	fs.IntVar(&f.o.Warmup, "warmup", 5, "iterations before those that are timed")
	fs.StringVar(&f.compare, "compare", "", "allreduce-vs-rs+ag or ring-vs-naive")
	fs.DurationVar(&f.o.Timeout, "timeout", 30*time.Second, "bound on one call")
	fs.StringVar(&f.o.Format, "format", "table", "table, json, csv")
}

func benchOps() []string {
	var names []string
	for op := range collective.Send {
		names = append(names, op.String())
	}
	return names
}

// options turns the flags into options.
func (f *benchFlags) options(args []string) (err error) {
	if f.o.Ops, err = parseOps(args); err != nil {
		return err
	}
	var ok [4]bool
	f.o.Type, ok[0] = reduce.ParseDType(f.dtype)
	f.o.Reduction, ok[1] = reduce.ParseOp(f.redop)
	f.o.Kind, ok[2] = transport.ParseKind(f.transport)
	f.o.Algorithm.Algorithm, ok[3] = steps.ParseAlgorithm(f.algo)
	if f.algo == "auto" {
		f.o.Algorithm, ok[3] = engine.Choice{}, true
	} else {
		f.o.Algorithm.Forced = true
	}
	for i, flag := range []string{"--dtype " + f.dtype, "--redop " + f.redop, "--transport " + f.transport, "--algo " + f.algo} {
		if !ok[i] {
			return catalog.Errorf("%s: unknown: want %s", flag, []string{"f32, f64, f16, bf16 or i32", "sum, max, min or avg",
				"goroutine, shm, tcp, unix or mixed", "auto, " + strings.Join(f.algorithms(), ", ")}[i])
		}
	}
	for _, s := range []struct {
		flag, value string
		to          *int
	}{{"-b", f.begin, &f.o.Begin}, {"-e", f.end, &f.o.End}} {
		if *s.to, err = bench.ParseSize(s.value); err != nil {
			return catalog.Errorf("%s %s", s.flag, strings.TrimPrefix(err.Error(), "size "))
		}
	}
	if f.o.Cores, err = parseCores(f.cores); err != nil {
		return err
	}
	if f.o.Compare, err = bench.ParseComparison(f.compare); err != nil {
		return catalog.Errorf("%v", err)
	}
	if f.emulate != "" {
		if f.o.Shape, err = transport.ParseShape(f.emulate); err != nil {
			return catalog.Errorf("--emulate: %v", err)
		}
	}
	if err := f.o.Validate(); err != nil {
		return catalog.Errorf("%v", err)
	}
	return nil
}

func (f *benchFlags) algorithms() []string {
	var all []string
	for _, op := range f.o.Ops {
		for _, a := range steps.Algorithms(op) {
			if !slices.Contains(all, a.String()) {
				all = append(all, a.String())
			}
		}
	}
	return all
}

func parseCores(list []string) (cores []int, err error) {
	for _, s := range list {
		n, err := strconv.Atoi(s)
		if err != nil {
			return nil, catalog.Errorf("--cores %s: %q is not a core's number: want a list such as 0,1", strings.Join(list, ","), s)
		}
		cores = append(cores, n)
	}
	return cores, nil
}

func parseOps(args []string) ([]collective.Op, error) {
	if len(args) == 0 {
		return []collective.Op{collective.AllReduce}, nil
	}
	var ops []collective.Op
	for _, a := range args {
		op, ok := collective.ParseOp(a)
		if !ok || op >= collective.Send {
			return nil, catalog.Unknown("operation", a, benchOps(), "planner bench --help")
		}
		ops = append(ops, op)
	}
	return ops, nil
}
