package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"planner/verify/gpu/cuda"
	"planner/verify/gpu/start"
	"planner/verify/gpu/step"
	"planner/verify/launch"
	"planner/verify/replay"
	"planner/verify/transport"
)

// member is what each rank of NCCL or RCCL does; rank 0 writes.
func (o *ReplayOptions) member(ctx context.Context, j *launch.Job, out, errOut io.Writer) error {
	d, err := o.rank(ctx, j.World, j.LocalRank, errOut)
	if err != nil || j.Rank != 0 {
		return err
	}
	for r := range d.Place.Ranks {
		d.Place.Nodes = append(d.Place.Nodes, j.World.Node(r))
	}
	return json.NewEncoder(out).Encode(d)
}

// rank replays as one rank of a job, on the GPU that its place on the machine
// gives it.
func (o *ReplayOptions) rank(ctx context.Context, w transport.World, local int, errOut io.Writer) (*start.Replayed, error) {
	if w.Rank() == 0 {
		if err := fits(o.Work, w.Size()); err != nil {
			return nil, err
		}
	}
	host, lib, err := o.join(w)
	if err != nil {
		return nil, err
	}
	products, err := o.blas()
	if err != nil {
		return nil, err
	}
	drv, g, where, err := o.take(local)
	if err != nil {
		return nil, err
	}
	m := &member{o: &o.Options, host: host, seat: g.Seat(0)}
	doc := &Document{}
	if err := m.meet(lib, where, doc); err != nil {
		return nil, err
	}
	fabric, err := step.NewNCCL(m.world, lanesOf(drv, g.Device(0).Ordinal))
	if err != nil {
		return nil, err
	}
	doubts := o.watch()
	r := step.NewRank(w.Rank(), g.Seat(0), fabric, maths(products, g.Seat(0)), o.Timeout)
	result, err := replay.Serve(ctx, w, r, o.Work, progress(errOut))
	if err != nil {
		m.comm.Abort()
		return nil, err
	}
	d := &start.Replayed{Question: o.Question, Result: result, Backend: string(o.Backend), Library: lib.Title(),
		GPUs: doc.GPUs, Notes: append(doc.Notes, doubts()...)}
	d.Place.Ranks, d.Place.What = w.Size(), fmt.Sprintf("GPUs, %s", d.Library)
	return d, errors.Join(m.close(), g.Close(), host.Close())
}

// lanesOf returns what gives streams of a GPU.
func lanesOf(d *cuda.Driver, ordinal int) func(n int) ([]step.Lane, error) {
	return func(n int) (out []step.Lane, err error) {
		same := make([]int, n)
		for i := range same {
			same[i] = ordinal
		}
		g, err := cuda.NewGroup(d, same)
		if err != nil {
			return nil, err
		}
		for i := range same {
			out = append(out, g.Seat(i))
		}
		return out, nil
	}
}
