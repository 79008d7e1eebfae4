package worker

import (
	"context"
	"errors"
	"fmt"
	"io"

	"planner/verify/gpu/cuda"
	"planner/verify/launch"
)

// workName is what rank processes are started for.
const workName = "gpu-bench"

func init() { register(workName, (*Options).member) }

// ErrWrong is returned when results were wrong; the table has been written.
var ErrWrong = errors.New("wrong results")

// Run measures and writes the table to out. Within a job of another launcher
// this process is one rank of NCCL: see begin.
func Run(ctx context.Context, o Options, out, errOut io.Writer) error {
	if err := o.Validate(); err != nil {
		return err
	}
	several, err := among()
	if err != nil {
		return err
	}
	if several || o.Processes || !o.Backend.own() {
		return o.begin(ctx, workName, &o, o.member, out, errOut)
	}
	doc, err := onCUDA(ctx, &o)
	if err != nil {
		return err
	}
	return o.finish(doc, out, errOut)
}

// open opens the driver of the back end's GPUs.
func (o *Options) open() (*cuda.Driver, error) {
	return openDriver(o.Backend.amd(), o.Driver)
}

// member is what each rank of NCCL does; rank 0 writes.
func (o *Options) member(ctx context.Context, j *launch.Job, out, errOut io.Writer) error {
	run := onNCCL
	if o.Backend.own() {
		run = onProcesses
	}
	doc, err := run(ctx, j.World, j.LocalRank, o)
	if err != nil {
		return err
	}
	if j.Rank != 0 {
		out, errOut = io.Discard, io.Discard
	}
	return o.finish(doc, out, errOut)
}

// finish writes the notes and the document.
func (o *Options) finish(d *Document, out, errOut io.Writer) error {
	for _, n := range d.Notes {
		fmt.Fprintln(errOut, "note:", n)
	}
	if err := show(d, out, o.Format); err != nil {
		return err
	}
	if d.Wrong > 0 {
		return fmt.Errorf("%w: %d elements", ErrWrong, d.Wrong)
	}
	return nil
}
