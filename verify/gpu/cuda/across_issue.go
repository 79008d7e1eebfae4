package cuda

import (
	"fmt"

	"planner/costmodel/collective/steps"
	"planner/verify/gpu/ptx"
	"planner/verify/reduce"
)

// Do puts a call on the stream; In and Out of c are this rank's alone. New
// buffers are told to all first, so all ranks change theirs at once.
func (a *Across) Do(s steps.Spec, t reduce.DType, op reduce.Op, in, out Pointer) error {
	if s.Ranks != a.Size {
		return fmt.Errorf("%v over %d ranks: want %d, the group's", s.Op, s.Ranks, a.Size)
	}
	if s.Op.Reduces() && !ptx.Serves(t) {
		return fmt.Errorf("%v of %v: no kernel on GPUs: want f32, f16 or bf16", s.Op, t)
	}
	return a.g.on(func() error {
		p := a.g.plans[s]
		if p == nil {
			var err error
			if p, err = compile(s); err != nil {
				return err
			}
			a.g.plans[s] = p
		}
		if err := a.buffers(p, t, in, out); err != nil {
			return err
		}
		return a.issue(&Call{Spec: s, Type: t, Reduction: op}, p)
	})
}

// issue puts this rank's actions of a plan on its stream, in the plan's order,
// which counts the marks of all.
func (a *Across) issue(c *Call, p *plan) error {
	for i := range p.actions {
		x := &p.actions[i]
		switch x.verb {
		case ready:
			a.made[x.rank][markReady]++
		case taken:
			a.made[x.rank][markTaken]++
		}
		if x.rank != a.Rank {
			continue
		}
		if err := a.act(c, x); err != nil {
			return err
		}
	}
	_, n := steps.Lens(c.Spec, a.Rank)
	if c.Reduction != reduce.Avg || !c.Op.Reduces() || n == 0 {
		return nil
	}
	out := uint64(a.bufs[a.Rank][steps.Output])
	return a.g.launch(a.g.ranks[0], ptx.Average(c.Type), n*c.Type.Size(), out, out, uint64(n), uint64(a.Size))
}

func (a *Across) act(c *Call, x *action) error {
	d, r := a.g.d, a.g.ranks[0]
	switch x.verb {
	case ready, taken:
		kind := int(x.verb - ready)
		if err := d.check(d.eventRecord(a.events[kind], r.stream), "cuEventRecord"); err != nil {
			return err
		}
		a.signals.Set(kind, a.made[a.Rank][kind])
		return nil
	case awaitReady, awaitTaken:
		kind := int(x.verb - awaitReady)
		if err := a.signals.Wait(x.peer, kind, a.made[x.peer][kind]); err != nil {
			return err
		}
		return d.check(d.streamWait(r.stream, a.theirs[x.peer][kind], 0), "cuStreamWaitEvent")
	}
	n := x.dst.Len
	dst, src := a.at(c, a.Rank, x.dst), a.at(c, a.Rank, x.src)
	switch x.verb {
	case copyFrom:
		return a.copy(dst, a.at(c, x.peer, x.from), n*c.Type.Size())
	case copyOwn:
		return a.copy(dst, src, n*c.Type.Size())
	case reduceOwn:
		return a.g.reduce(c, r, dst, dst, src, n)
	}
	return a.g.reduce(c, r, dst, a.at(c, x.peer, x.from), src, n)
}

func (a *Across) at(c *Call, rank int, ref steps.Ref) Pointer {
	return a.bufs[rank][ref.Buf] + Pointer(ref.Off*c.Type.Size())
}

func (a *Across) copy(dst, src Pointer, n int) error {
	if dst == src || n == 0 {
		return nil
	}
	return a.g.d.check(a.g.d.copyAsync(dst, src, uint64(n), a.g.ranks[0].stream), "cuMemcpyDtoDAsync")
}
