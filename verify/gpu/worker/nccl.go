package worker

import (
	"context"
	"errors"
	"fmt"
	"os"

	"planner/verify/engine"
	"planner/verify/gpu/nccl"
	"planner/verify/reduce"
	"planner/verify/transport"
)

// seat is a GPU of either vendor with a stream.
type seat interface {
	nccl.Device
	Alloc(n int) (uintptr, error)
	Free(p uintptr) error
	Write(p uintptr, b []byte) error
	Read(b []byte, p uintptr) error
}

// onNCCL measures as one rank of a job, on the GPU that its place on the
// machine gives it. All ranks get the whole document.
func onNCCL(ctx context.Context, w transport.World, local int, o *Options) (*Document, error) {
	host, lib, err := o.join(w)
	if err != nil {
		return nil, err
	}
	_, gpu, where, err := o.take(local)
	if err != nil {
		return nil, err
	}
	doubts := func() []string { return nil }
	if o.Backend == NCCL {
		doubts = o.watch()
	}
	m := &member{o: o, host: host, seat: gpu.Seat(0)}
	doc := &Document{Backend: string(o.Backend), Ranks: host.Size(), Library: lib.Title()}
	if err := m.meet(lib, where, doc); err != nil {
		return nil, err
	}
	if err := m.measure(ctx, doc); err != nil {
		return nil, err
	}
	doc.Notes = append(doc.Notes, doubts()...)
	return doc, errors.Join(m.close(), gpu.Close(), host.Close())
}

// join connects a rank to the others, and opens the library of their calls.
func (o *Options) join(w transport.World) (*engine.Comm, *nccl.Library, error) {
	host, err := engine.New(w)
	if err != nil {
		return nil, nil, err
	}
	lib, err := nccl.Open(o.kind(), paths(o.Library)...)
	if err != nil {
		return nil, nil, err
	}
	lib.Blocking = o.Blocking
	return host, lib, nil
}

func (o *Options) kind() nccl.Kind {
	if o.Backend == RCCL {
		return nccl.RCCL
	}
	return nccl.NCCL
}

// meet tells all ranks where all are, and forms the communicator.
func (m *member) meet(lib *nccl.Library, mine Seat, doc *Document) error {
	seats, err := exchange(m.host, mine)
	if err != nil {
		return err
	}
	for _, s := range seats {
		doc.GPUs = append(doc.GPUs, fmt.Sprintf("%s device %s %s", s.Host, s.Bus, s.GPU))
	}
	if doc.Notes, err = Check(seats, lib.SharesGPU() && os.Getenv("NCCL_MULTI_RANK_GPU_ENABLE") == "1", lib.VersionText()); err != nil {
		return err
	}
	var id nccl.ID
	if m.host.Rank() == 0 {
		if id, err = lib.NewID(); err != nil {
			return err
		}
	}
	out := make([]byte, len(id.B))
	if err := m.host.Broadcast(out, id.B[:], len(id.B)/4, reduce.I32, 0); err != nil {
		return err
	}
	copy(id.B[:], out)
	if m.world, err = lib.Init(id, m.host.Size(), m.host.Rank(), m.seat, m.o.Timeout); err == nil {
		m.comm = byNCCL{m.world, m.o.Backend}
	}
	return err
}
