package nccl

import (
	"fmt"

	"planner/costmodel/collective"
	"planner/costmodel/collective/steps"
	"planner/verify/reduce"
)

// Call is one collective as one rank sees it. Counts and buffer lengths are
// those of steps.Lens, so that pieces may differ in length.
type Call struct {
	Op        collective.Op
	Type      reduce.DType
	Reduction reduce.Op
	Root      int     // of Broadcast, Reduce, Gather, Scatter
	Peer      int     // of Send and Recv: the other rank
	Count     int     // elements of M
	In, Out   uintptr // addresses on the GPU; 0 where steps.Lens says none
}

// Numbers of ncclDataType_t and ncclRedOp_t (nccl.h).
var (
	dtypes = [reduce.NumDTypes]int32{reduce.F32: 7, reduce.F64: 8, reduce.F16: 6, reduce.BF16: 9, reduce.I32: 2}
	redops = [reduce.NumOps]int32{reduce.Sum: 0, reduce.Max: 2, reduce.Min: 3, reduce.Avg: 4}
)

// Do puts a call on the stream and returns; [Comm.Wait] waits for it.
func (c *Comm) Do(k Call) error {
	if k.Op >= collective.NumOps || k.Type >= reduce.NumDTypes || k.Reduction >= reduce.NumOps {
		return fmt.Errorf("operation %d, type %d, reduction %d: unknown", k.Op, k.Type, k.Reduction)
	}
	if k.Root < 0 || k.Root >= c.Size || k.Peer < 0 || k.Peer >= c.Size || k.Count < 0 {
		return fmt.Errorf("%v: root %d, peer %d, count %d: out of range: want ranks 0 to %d", k.Op, k.Root, k.Peer, k.Count, c.Size-1)
	}
	c.last = fmt.Sprintf("%v of %d %v", k.Op, k.Count, k.Type)
	if k.Count == 0 {
		return nil
	}
	return c.call(c.last, func() status { return c.enqueue(k) })
}

// Shift puts on the stream that every rank sends count elements to the next,
// as ring attention does, and takes those of the one before.
func (c *Comm) Shift(t reduce.DType, count int, in, out uintptr) error {
	c.last = fmt.Sprintf("shift of %d %v", count, t)
	if count <= 0 {
		return nil
	}
	k := Call{Type: t, Count: count}
	return c.call(c.last, func() status {
		if s := c.l.groupStart(); s != 0 {
			return s
		}
		bad := first(c.send(k, in, count, (c.Rank+1)%c.Size), c.recv(k, out, count, (c.Rank+c.Size-1)%c.Size))
		s := c.l.groupEnd()
		return first(bad, s)
	})
}

func (c *Comm) enqueue(k Call) status {
	l, s, n := c.l, c.device.Stream(), uint64(k.Count)
	dt, op := dtypes[k.Type], redops[k.Reduction]
	even := k.Count%c.Size == 0
	each := n / uint64(c.Size)
	switch {
	case k.Op == collective.AllReduce:
		return l.allReduce(k.In, k.Out, n, dt, op, *c.at, s)
	case k.Op == collective.Broadcast:
		return l.broadcast(k.In, k.Out, n, dt, int32(k.Root), *c.at, s)
	case k.Op == collective.Reduce:
		return l.reduce(k.In, k.Out, n, dt, op, int32(k.Root), *c.at, s)
	case k.Op == collective.AllGather && even:
		return l.allGather(k.In, k.Out, each, dt, *c.at, s)
	case k.Op == collective.ReduceScatter && even:
		return l.reduceScatter(k.In, k.Out, each, dt, op, *c.at, s)
	}
	return c.group(k)
}

// group makes up what NCCL has no function for, or has one for even pieces
// only, of several in one group.
func (c *Comm) group(k Call) status {
	if s := c.l.groupStart(); s != 0 {
		return s
	}
	var bad status
	for r := range c.Size {
		if s := c.member(k, r); s != 0 && s != inProgress && bad == 0 {
			bad = s
		}
	}
	if s := c.l.groupEnd(); bad == 0 {
		bad = s
	}
	return bad
}

// member enqueues what a grouped call does with rank r.
func (c *Comm) member(k Call, r int) status {
	e := uintptr(k.Type.Size())
	off, n := steps.Cut(k.Count, c.Size, r)
	_, mine := steps.Cut(k.Count, c.Size, c.Rank)
	piece := uintptr(off) * e
	dt, s := dtypes[k.Type], c.device.Stream()
	switch {
	case k.Op == collective.AllGather && n > 0:
		return c.l.broadcast(k.In, k.Out+piece, uint64(n), dt, int32(r), *c.at, s)
	case k.Op == collective.ReduceScatter && n > 0:
		return c.l.reduce(k.In+piece, k.Out, uint64(n), dt, redops[k.Reduction], int32(r), *c.at, s)
	case k.Op == collective.AllToAll:
		return first(c.send(k, k.In+piece, n, r), c.recv(k, k.Out+uintptr(r*mine)*e, mine, r))
	case k.Op == collective.Gather:
		return first(c.sendIf(r == k.Root, k, k.In, mine, r), c.recvIf(c.Rank == k.Root, k, k.Out+piece, n, r))
	case k.Op == collective.Scatter:
		return first(c.sendIf(c.Rank == k.Root, k, k.In+piece, n, r), c.recvIf(r == k.Root, k, k.Out, mine, r))
	case k.Op == collective.Send:
		return c.sendIf(r == k.Peer, k, k.In, k.Count, r)
	case k.Op == collective.Recv:
		return c.recvIf(r == k.Peer, k, k.Out, k.Count, r)
	}
	return 0
}

func first(a, b status) status {
	if a != 0 && a != inProgress {
		return a
	}
	return b
}

func (c *Comm) send(k Call, in uintptr, n, to int) status {
	if n == 0 {
		return 0
	}
	return c.l.send(in, uint64(n), dtypes[k.Type], int32(to), *c.at, c.device.Stream())
}

func (c *Comm) recv(k Call, out uintptr, n, from int) status {
	if n == 0 {
		return 0
	}
	return c.l.recv(out, uint64(n), dtypes[k.Type], int32(from), *c.at, c.device.Stream())
}

func (c *Comm) sendIf(yes bool, k Call, in uintptr, n, to int) status {
	if !yes {
		return 0
	}
	return c.send(k, in, n, to)
}

func (c *Comm) recvIf(yes bool, k Call, out uintptr, n, from int) status {
	if !yes {
		return 0
	}
	return c.recv(k, out, n, from)
}
