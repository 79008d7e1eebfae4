package worker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"planner/costmodel/collective"
	"planner/costmodel/collective/steps"
	"planner/verify/bench"
	"planner/verify/engine"
	"planner/verify/gpu/nccl"
)

// member is one rank of a measurement with NCCL.
type member struct {
	o      *Options
	host   *engine.Comm // over which ids and times travel
	seat   seat
	world  *nccl.Comm // of all ranks, with nccl and rccl
	comm   mover
	groups map[[2]int]*nccl.Comm // by size and stride
}

func (m *member) measure(ctx context.Context, doc *Document) error {
	for _, w := range m.o.Calls {
		if err := m.call(ctx, w, doc); err != nil {
			return err
		}
	}
	for _, op := range m.o.Ops {
		for _, size := range m.o.sizes() {
			if err := m.add(ctx, op, size, doc); err != nil {
				return err
			}
		}
	}
	return nil
}

// call measures a call of a plan in all its groups at once.
func (m *member) call(ctx context.Context, w Want, doc *Document) error {
	c, err := check(w)
	if err != nil {
		return err
	}
	if err := c.fits(m.host.Size()); err != nil {
		return err
	}
	sub := m.comm
	if m.world != nil {
		g, err := m.group(c)
		if err != nil {
			return err
		}
		sub = byNCCL{g, m.o.Backend}
	} else if c.size != m.host.Size() {
		return fmt.Errorf("%v over %d of %d ranks: own kernels across processes run over all: want --backend nccl, or one process", c.op, c.size, m.host.Size())
	}
	one := &member{o: m.o.with(c), host: m.host, seat: m.seat, world: m.world, comm: sub}
	return one.add(ctx, c.op, c.bytes, doc)
}

// group returns this rank's communicator for a call, made when it is first
// needed.
func (m *member) group(c call) (*nccl.Comm, error) {
	key := [2]int{c.size, c.stride}
	if m.groups[key] == nil {
		sub, err := m.world.Split(c.color(m.world.Rank), m.world.Rank)
		if err != nil {
			return nil, err
		}
		if m.groups == nil {
			m.groups = map[[2]int]*nccl.Comm{}
		}
		m.groups[key] = sub
	}
	return m.groups[key], nil
}

// close gives the communicators back.
func (m *member) close() error {
	var errs []error
	for _, k := range slices.SortedFunc(maps.Keys(m.groups), func(a, b [2]int) int { return cmp.Or(a[0]-b[0], a[1]-b[1]) }) {
		errs = append(errs, m.groups[k].Close()) // in the same order on all ranks
	}
	return errors.Join(append(errs, m.comm.Close())...)
}

func (m *member) add(ctx context.Context, op collective.Op, size int, doc *Document) error {
	if err := ctx.Err(); err != nil {
		m.comm.Abort()
		return err
	}
	row, err := m.row(op, size)
	if err != nil {
		return err
	}
	doc.Rows = append(doc.Rows, row)
	doc.Wrong += row.Out.Wrong
	return nil
}

// row checks and measures one call, and agrees with the other ranks on the
// slowest time and all wrong elements.
func (m *member) row(op collective.Op, size int) (row bench.Row, err error) {
	rank, ranks := m.comm.place()
	k := nccl.Call{Op: op, Type: m.o.Type, Reduction: m.o.Reduction, Count: m.o.count(op, size, ranks)}
	if op >= collective.Broadcast {
		k.Root = min(m.o.Root, ranks-1)
	}
	s := steps.Spec{Op: op, Ranks: ranks, Root: k.Root, Count: k.Count}
	data := bench.NewData(s, k.Type, k.Reduction)
	in, out := steps.Lens(s, rank)
	a, err := m.seat.Alloc(in * k.Type.Size())
	if err != nil {
		return row, err
	}
	defer func() { _ = m.seat.Free(a) }()
	b, err := m.seat.Alloc(out * k.Type.Size())
	if err != nil {
		return row, err
	}
	defer func() { _ = m.seat.Free(b) }()
	defer func() {
		if err == nil {
			err = m.comm.release()
		}
	}()
	k.In, k.Out = a, b
	wrong, err := m.once(k, data, make([]byte, in*k.Type.Size()), make([]byte, out*k.Type.Size()))
	if err != nil {
		return row, err
	}
	if err := m.host.Barrier(); err != nil {
		return row, err
	}
	each, err := m.o.loop(func() error { return m.comm.Do(k) }, m.comm.Wait)
	if err != nil {
		return row, err
	}
	worst, total, err := agree(m.host, each, wrong)
	return m.o.newRow(op, k.Count, ranks, total, worst, m.comm.name(op, k.Count*k.Type.Size())), err
}

// once runs the call on exact data and counts this rank's wrong elements.
func (m *member) once(k nccl.Call, d *bench.Data, in, out []byte) (wrong int, err error) {
	rank, _ := m.comm.place()
	d.Fill(in, rank)
	for _, f := range []func() error{
		func() error { return m.seat.Write(k.In, in) },
		func() error { return m.comm.Do(k) },
		m.comm.Wait,
		func() error { return m.seat.Read(out, k.Out) },
	} {
		if err := f(); err != nil {
			return 0, err
		}
	}
	return d.Wrong(out, rank), nil
}
