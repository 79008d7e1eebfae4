package worker

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"planner/costmodel/collective"
	"planner/verify/bench"
	"planner/verify/gpu/start"
	"planner/verify/reduce"
)

// Document is what --format json prints.
type Document = start.Document

// ncclTypes are the names of nccl-tests (src/common.cu).
var ncclTypes = [reduce.NumDTypes]string{reduce.F32: "float", reduce.F64: "double", reduce.F16: "half",
	reduce.BF16: "bfloat16", reduce.I32: "int32"}

// newRow returns the row of a call that took the slowest rank seconds.
func (o *Options) newRow(op collective.Op, count, ranks, wrong int, seconds float64, algorithm string) bench.Row {
	r := bench.Row{Op: op.String(), Size: count * o.Type.Size(), Count: count, Type: ncclTypes[o.Type], Redop: "none", Root: -1,
		Algorithm: algorithm}
	if pieces(op) {
		r.Count /= ranks
	}
	if op.Reduces() {
		r.Redop = o.Reduction.String()
	}
	if op >= collective.Broadcast {
		r.Root = o.Root
	}
	us := seconds * 1e6
	r.Out = bench.Timing{Time: us, Min: us, P95: us, Wrong: wrong, Iters: o.Iters}
	if us > 0 {
		r.Out.AlgBW = float64(r.Size) / us / 1e3
		r.Out.BusBW = r.Out.AlgBW * op.BusFactor(ranks)
	}
	return r
}

// show writes a document as nccl-tests writes an out-of-place run, so that what
// reads that reads this (planner calibrate --from), with the algorithm behind.
func show(d *Document, w io.Writer, format string) error {
	if format == "json" {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(d)
	}
	fmt.Fprintf(w, "# backend %s, %s, ranks %d\n", d.Backend, d.Library, d.Ranks)
	for r, g := range d.GPUs {
		fmt.Fprintf(w, "#  Rank %2d on %s\n", r, g)
	}
	op := ""
	for _, r := range d.Rows {
		if r.Op != op {
			op = r.Op
			fmt.Fprintf(w, "#\n# %s_perf\n#%11s %12s %9s %6s %6s %10s %8s %8s %6s  %s\n", strings.Replace(op, "all_to_all", "alltoall", 1), "size", "count", "type", "redop", "root",
				"time", "algbw", "busbw", "#wrong", "algorithm")
			fmt.Fprintf(w, "#%11s %12s %9s %6s %6s %10s %8s %8s\n", "(B)", "(elements)", "", "", "", "(us)", "(GB/s)", "(GB/s)")
		}
		fmt.Fprintf(w, "%12d %12d %9s %6s %6d %10.2f %8.2f %8.2f %6d  %s\n", r.Size, r.Count, r.Type, r.Redop, r.Root, r.Out.Time,
			r.Out.AlgBW, r.Out.BusBW, r.Out.Wrong, r.Algorithm)
	}
	_, err := fmt.Fprintf(w, "# Out of bounds values : %d\n", d.Wrong)
	return err
}
