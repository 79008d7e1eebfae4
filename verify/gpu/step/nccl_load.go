package step

import (
	"fmt"
	"slices"

	"planner/costmodel/collective"
	"planner/verify/gpu/nccl"
	"planner/verify/replay"
)

// Load splits the communicators of a work off that of all ranks.
func (n *NCCL) Load(w *replay.Work) error {
	n.work = w
	for number, k := range keysOf(w) {
		g := n.keys[k]
		if g != nil && g.comm != nil && k.kind == sampling {
			if err := g.comm.Close(); err != nil {
				return err
			}
			n.order = slices.DeleteFunc(n.order, func(c *nccl.Comm) bool { return c == g.comm })
		}
		if g == nil || k.kind == sampling {
			members := k.group(w, n.world.Rank)
			color, place := -1, 0
			if members != nil {
				color, place = members[0], slices.Index(members, n.world.Rank)
			}
			comm, err := n.world.Split(color, place)
			if err != nil {
				return fmt.Errorf("%s: %w", k.String(), err)
			}
			g = &ncclGroup{comm: comm, members: members, shift: k.kind == shifting}
			n.keys[k] = g
			n.order = append(n.order, comm)
		}
		if g.seq = 0; g.comm != nil {
			g.id = k.id(number, g.members)
		}
	}
	if err := n.reserve(w); err != nil {
		return err
	}
	return n.connect(w)
}

// connect makes every kind of call once, small, in an order on which all ranks
// agree. NCCL connects ranks when they first need it, and the host waits for
// both ends there: in the order of a step, ends could wait for each other.
func (n *NCCL) connect(w *replay.Work) error {
	for _, k := range keysOf(w) {
		g := n.keys[k]
		if g.comm == nil {
			continue
		}
		g.comm.On(n.home)
		for _, op := range opsOf(w, k) {
			err := g.do(n.call(op, collective.FP32, int64(4*len(g.members))))
			if err == nil {
				err = g.comm.Wait()
			}
			if err != nil {
				return fmt.Errorf("%s: %w", k.String(), err)
			}
		}
	}
	return nil
}

// reserve makes the marks and the buffers of a work's calls. Calls share two
// buffers: what they carry is not looked at.
func (n *NCCL) reserve(w *replay.Work) error {
	bytes := int64(sentinelBytes)
	for _, p := range w.Programs {
		for i := range p.Calls {
			bytes = max(bytes, p.Calls[i].Bytes)
		}
	}
	for i := range w.Samples {
		bytes = max(bytes, w.Samples[i].Bytes)
	}
	if err := addMarks(&n.marks, w, n.home); err != nil {
		return err
	}
	return n.grow(int(bytes) + 64)
}

func (n *NCCL) grow(bytes int) error {
	if bytes <= n.room {
		return nil
	}
	n.room = 0
	for i := range n.bufs {
		if err := n.home.Free(n.bufs[i]); err != nil {
			return err
		}
		var err error
		if n.bufs[i], err = n.home.Alloc(bytes); err != nil {
			return err
		}
	}
	n.room = bytes
	return nil
}
