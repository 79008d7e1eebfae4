package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"planner/verify/gpu/cuda"
	"planner/verify/launch"
	"planner/verify/transport"
)

// workName is what rank processes are started for.
const workName = "gpu-bench"

func init() {
	launch.Register(workName, func(ctx context.Context, j *launch.Job, args []byte) error {
		var o Options
		if err := json.Unmarshal(args, &o); err != nil {
			return err
		}
		return o.member(ctx, j, os.Stdout, os.Stderr)
	})
}

// ErrWrong is returned when results were wrong; the table has been written.
var ErrWrong = errors.New("wrong results")

// Run measures and writes the table to out. Within a job of another launcher
// (see launch.FromEnv) this process is one rank of NCCL.
func Run(ctx context.Context, o Options, out, errOut io.Writer) error {
	if err := o.Validate(); err != nil {
		return err
	}
	place, ok, err := launch.FromEnv(os.Getenv)
	if err != nil {
		return err
	}
	if o.Backend.own() && !o.Processes && (!ok || place.Size < 2) {
		doc, err := onCUDA(ctx, &o)
		if err != nil {
			return err
		}
		return o.finish(doc, out, errOut)
	}
	if ok {
		c := launch.Config{Kind: transport.TCP, Secret: os.Getenv("PLANNER_SECRET"),
			Options: transport.Options{Timeout: o.Timeout}}
		return launch.Member(ctx, place, c, func(ctx context.Context, j *launch.Job, _ []byte) error {
			return o.member(ctx, j, out, errOut)
		}, nil)
	}
	return o.start(ctx, out, errOut)
}

// start starts the ranks of this machine, one for every GPU.
func (o Options) start(ctx context.Context, out, errOut io.Writer) error {
	if o.Ranks == 0 {
		n, err := o.visible()
		if err != nil {
			return err
		}
		o.Ranks = n
	}
	return launch.Run(ctx, launch.Spec{Work: workName, Args: o, Ranks: o.Ranks, Kind: transport.TCP, Timeout: o.Timeout,
		Out: out, Err: errOut})
}

// open opens the driver of the back end's GPUs.
func (o *Options) open() (*cuda.Driver, error) {
	return openDriver(o.Backend.amd(), o.Driver)
}

// visible counts the GPUs of the machine.
func (o *Options) visible() (int, error) {
	drv, err := o.open()
	if err != nil {
		return 0, err
	}
	all, err := drv.Devices()
	return len(all), err
}

// member is what each rank of NCCL does; rank 0 writes.
func (o Options) member(ctx context.Context, j *launch.Job, out, errOut io.Writer) error {
	run := onNCCL
	if o.Backend.own() {
		run = onProcesses
	}
	doc, err := run(ctx, j.World, j.LocalRank, &o)
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
