// Package worker measures collectives on GPUs: it checks every element of the
// result, then times, and prints nccl-tests' columns.
//
// With the cuda back end all ranks are in this process. With nccl or rccl a process
// is one rank: another launcher has started it, or [Run] starts the ranks of
// this machine itself. They meet through package launch, over which the
// communicator's id travels and times are compared.
package worker

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"planner/costmodel/collective"
	"planner/verify/gpu/ptx"
	"planner/verify/reduce"
)

// Backend is what moves the bytes.
type Backend string

// The back ends.
const (
	CUDA Backend = "cuda"
	NCCL Backend = "nccl"
	RCCL Backend = "rccl"
	HIP  Backend = "hip" // cuda on AMD's GPUs
)

// Backends lists them.
func Backends() []Backend { return []Backend{CUDA, NCCL, RCCL, HIP} }

// own reports whether the engine's own kernels run.
func (b Backend) own() bool { return b == CUDA || b == HIP }

// amd reports whether the GPUs are AMD's.
func (b Backend) amd() bool { return b == RCCL || b == HIP }

// Options say what to measure. Run hands them to every rank as JSON.
type Options struct {
	Backend   Backend
	Ops       []collective.Op
	Begin     int // bytes of M, from
	End       int // to, at most
	Factor    int // each size is this many times the last
	Type      reduce.DType
	Reduction reduce.Op
	Root      int
	Ranks     int   // 0: one for every GPU
	GPUs      []int // of cuda: the GPU of rank r is GPUs[r mod len]; none: all in order
	Graphs    bool  // of cuda: launch calls as graphs
	Processes bool  // of cuda and hip: each rank a process, as another launcher starts them
	Blocking  bool  // of nccl and rccl: see nccl.Library
	Iters     int
	Warmup    int
	Timeout   time.Duration
	Library   string // path of libnccl.so.2 or librccl.so.1 in other places
	Driver    string // path of libcuda.so.1 or libamdhip64.so in other places
	NVML      string // path of libnvidia-ml.so.1 in other places
	Format    string // table or json
	Calls     []Want // of a plan, instead of Ops and sizes
}

// Default returns the options of a first look.
func Default() Options {
	return Options{Backend: CUDA, Ops: []collective.Op{collective.AllReduce}, Begin: 8 << 10, End: 128 << 20, Factor: 4,
		Iters: 20, Warmup: 5, Timeout: 30 * time.Second, Format: "table"}
}

// Validate reports the first thing that is wrong, by its flag.
func (o *Options) Validate() error {
	switch {
	case !slices.Contains(Backends(), o.Backend):
		return fmt.Errorf("--backend %q: unknown: want %s", o.Backend, strings.Trim(fmt.Sprint(Backends()), "[]"))
	case o.Begin < 4 || o.End < o.Begin || o.End > 16<<30:
		return fmt.Errorf("-b %d -e %d: out of range: want 4 <= b <= e <= 16G", o.Begin, o.End)
	case o.Factor < 2:
		return fmt.Errorf("-f %d: too small: want at least 2", o.Factor)
	case o.Ranks < 0 || o.Ranks > 1024:
		return fmt.Errorf("--ranks %d: out of range: want 0 to 1024", o.Ranks)
	case o.Iters < 1 || o.Warmup < 0:
		return fmt.Errorf("--iters %d --warmup %d: too small: want at least 1 and 0", o.Iters, o.Warmup)
	case o.Backend.own() && !ptx.Serves(o.Type):
		return fmt.Errorf("--dtype %v: no kernel on GPUs: want f32, f16 or bf16", o.Type)
	case o.Processes && (!o.Backend.own() || o.Graphs):
		return fmt.Errorf("--processes: of the backends cuda and hip alone, without --graphs: ranks of nccl and rccl are processes anyway")
	case o.Format != "table" && o.Format != "json":
		return fmt.Errorf("--format %q: unknown: want table or json", o.Format)
	}
	return nil
}

func (o *Options) sizes() (list []int) {
	for s := o.Begin; s <= o.End; s *= o.Factor {
		list = append(list, s)
	}
	return list
}

// count returns the elements of M for about size bytes. As nccl-tests does,
// calls with pieces have pieces of a multiple of 16 bytes.
func (o *Options) count(op collective.Op, size, ranks int) int {
	e := o.Type.Size()
	if pieces(op) {
		return max(size/ranks&^15, 16) / e * ranks
	}
	return max(size/e, 1)
}

func pieces(op collective.Op) bool {
	switch op {
	case collective.AllGather, collective.ReduceScatter, collective.AllToAll, collective.Gather, collective.Scatter:
		return true
	}
	return false
}

func paths(p string) []string {
	if p == "" {
		return nil
	}
	return []string{p}
}
