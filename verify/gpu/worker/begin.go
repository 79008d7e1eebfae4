package worker

import (
	"context"
	"encoding/json"
	"io"
	"os"

	"planner/verify/launch"
	"planner/verify/transport"
)

// register names what each rank process of a kind of work does; O are its
// options, which travel as JSON.
func register[O any](name string, member func(*O, context.Context, *launch.Job, io.Writer, io.Writer) error) {
	launch.Register(name, func(ctx context.Context, j *launch.Job, args []byte) error {
		var o O
		if err := json.Unmarshal(args, &o); err != nil {
			return err
		}
		return member(&o, ctx, j, os.Stdout, os.Stderr)
	})
}

// begin does registered work in ranks that are processes: within a job of
// another launcher (see launch.FromEnv) this one is a rank of it, or else it
// starts those of this machine, one for every GPU. args are the work's options,
// of which o is a part.
func (o *Options) begin(ctx context.Context, name string, args any,
	member func(context.Context, *launch.Job, io.Writer, io.Writer) error, out, errOut io.Writer) error {
	place, ok, err := launch.FromEnv(os.Getenv)
	if err != nil {
		return err
	}
	if ok {
		c := launch.Config{Kind: transport.TCP, Secret: os.Getenv("PLANNER_SECRET"), Options: transport.Options{Timeout: o.Timeout}}
		return launch.Member(ctx, place, c, func(ctx context.Context, j *launch.Job, _ []byte) error {
			return member(ctx, j, out, errOut)
		}, nil)
	}
	if o.Ranks == 0 {
		if o.Ranks, err = o.visible(); err != nil {
			return err
		}
	}
	return launch.Run(ctx, launch.Spec{Work: name, Args: args, Ranks: o.Ranks, Kind: transport.TCP, Timeout: o.Timeout, Out: out, Err: errOut})
}

// among reports whether another launcher started this process as one of
// several ranks.
func among() (bool, error) {
	p, ok, err := launch.FromEnv(os.Getenv)
	return ok && p.Size > 1, err
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

// First reports whether this process is rank 0, or no launcher started it.
func First(env func(string) string) bool {
	p, ok, err := launch.FromEnv(env)
	return !ok || err != nil || p.Rank == 0
}
