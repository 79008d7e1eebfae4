package worker

import (
	"context"
	"errors"
	"fmt"

	"planner/verify/engine"
	"planner/verify/transport"
)

// onProcesses measures with the engine's kernels as one rank of a job on this
// machine.
func onProcesses(ctx context.Context, w transport.World, local int, o *Options) (*Document, error) {
	host, err := engine.New(w)
	if err != nil {
		return nil, err
	}
	drv, gpu, where, err := o.take(local)
	if err != nil {
		return nil, err
	}
	seats, err := exchange(host, where)
	if err == nil {
		err = oneMachine(seats)
	}
	if err != nil {
		return nil, err
	}
	doc := &Document{Backend: string(o.Backend), Ranks: host.Size(), Library: drv.Title() + ", between processes"}
	for _, s := range seats {
		doc.GPUs = append(doc.GPUs, fmt.Sprintf("%s device %s %s", s.Host, s.Bus, s.GPU))
	}
	k, err := newKernels(host, gpu, o.Timeout)
	if err != nil {
		return nil, err
	}
	m := &member{o: o, host: host, seat: gpu.Seat(0), comm: k}
	doubts := o.watch()
	if err := m.measure(ctx, doc); err != nil {
		return nil, err
	}
	doc.Notes = append(doc.Notes, doubts()...)
	return doc, errors.Join(m.close(), gpu.Close(), host.Close())
}
