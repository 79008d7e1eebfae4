package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"planner/verify/engine"
	"planner/verify/launch"
	"planner/verify/transport"
)

// workName is what rank processes are started for.
const workName = "bench"

func init() {
	launch.Register(workName, func(_ context.Context, j *launch.Job, args []byte) error {
		var o Options
		if err := json.Unmarshal(args, &o); err != nil {
			return err
		}
		return member(j.World, &o, os.Stdout)
	})
}

// ErrWrong is returned when results were wrong; the table has been written.
var ErrWrong = errors.New("wrong results")

// Run measures and writes the table to out. Within a job of another launcher
// (see launch.FromEnv) this process is one rank; otherwise Run starts them.
func Run(ctx context.Context, o Options, out, errOut io.Writer) error {
	if o.Kind == transport.Goroutine {
		if err := o.Validate(); err != nil {
			return err
		}
		return inProcess(ctx, o, out)
	}
	place, ok, err := launch.FromEnv(os.Getenv)
	if err != nil {
		return err
	}
	if ok {
		o.Ranks = place.Size
	}
	if err := o.Validate(); err != nil {
		return err
	}
	if ok {
		c := launch.Config{Kind: o.Kind, Secret: os.Getenv("PLANNER_SECRET"), ShmDir: o.ShmDir,
			Options: transport.Options{Timeout: o.Timeout, Shape: o.Shape}}
		return launch.Member(ctx, place, c, func(_ context.Context, j *launch.Job, _ []byte) error {
			return member(j.World, &o, out)
		}, nil)
	}
	return launch.Run(ctx, launch.Spec{Work: workName, Args: o, Ranks: o.Ranks, Hosts: o.Hosts, Address: o.Address,
		Kind: o.Kind, Shape: o.Shape, Timeout: o.Timeout, ShmDir: o.ShmDir, Out: out, Err: errOut})
}

// inProcess runs the ranks as goroutines.
func inProcess(ctx context.Context, o Options, out io.Writer) error {
	l, err := transport.NewLocal(o.Ranks, transport.Options{Timeout: o.Timeout, Shape: o.Shape})
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() {
		_ = l.World(0).Abort().Fail(&transport.Failure{Rank: 0, Peer: -1, Cause: "interrupted"})
	})()
	errs := make([]error, o.Ranks)
	var wg sync.WaitGroup
	for r := range o.Ranks {
		wg.Go(func() {
			w := l.World(r)
			if errs[r] = member(w, &o, out); errs[r] != nil {
				_ = w.Abort().Fail(&transport.Failure{Rank: r, Peer: -1, Cause: errs[r].Error()})
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// member is what each rank does. Rank 0 writes.
func member(w transport.World, o *Options, out io.Writer) (err error) {
	unpin, how, err := o.pin(w)
	if err != nil {
		return err
	}
	defer unpin()
	if w.Rank() != 0 {
		out = io.Discard
	}
	if o.Shape != nil {
		if err := engine.CheckShape(w, o.Shape); err != nil {
			return err
		}
	}
	c, err := engine.New(w)
	if err != nil {
		return err
	}
	r := &runner{c: c, o: o}
	if r.sentinel, err = newSentinel(c); err == nil {
		if r.model, err = calibrate(c, o.Shape, o.End); err == nil {
			err = r.report(out, how)
		}
	}
	if err != nil && !errors.Is(err, ErrWrong) {
		return err // the group cannot be left in order
	}
	return errors.Join(err, c.Close())
}

// inTime refuses calls that emulated links could not carry before the deadline.
func (r *runner) inTime() error {
	limit := transport.Options{Timeout: r.o.Timeout}.Limit()
	for _, op := range r.o.Ops {
		for _, size := range r.o.sizes() {
			_, us, err := r.plan(r.o.call(op, size, r.c.Size()))
			if err != nil {
				return err
			}
			if took := time.Duration(us * 1e3); r.o.Shape != nil && took > limit {
				return fmt.Errorf("--emulate %v: %v of %d bytes would take %v: want a --timeout above, now %v, or smaller sizes",
					r.o.Shape, op, size, took.Round(time.Second), limit)
			}
		}
	}
	return nil
}

// report measures everything and writes it.
func (r *runner) report(out io.Writer, pinned string) error {
	if r.o.Compare != None {
		return r.compare(out)
	}
	if err := r.inTime(); err != nil {
		return err
	}
	before := takeCensus()
	p := newPrinter(out, r.o.Format)
	p.head(r.o, pinned)
	var rows []Row
	for _, op := range r.o.Ops {
		p.operation(op.String())
		for _, size := range r.o.sizes() {
			row, err := r.row(op, size)
			if err != nil {
				return err
			}
			rows = append(rows, row)
			p.row(row)
		}
	}
	sum := Summary{Moved: r.sentinel.moved, Load: load(), Busiest: busiest(before, takeCensus(), r.o.Kind != transport.Goroutine)}
	sum.add(rows)
	if err := p.end(r.o, rows, sum); err != nil {
		return err
	}
	if sum.Wrong > 0 {
		return fmt.Errorf("%w: %d elements", ErrWrong, sum.Wrong)
	}
	return nil
}
