package cuda

import (
	"unsafe"

	"planner/costmodel/collective/steps"
	"planner/verify/gpu/ptx"
	"planner/verify/reduce"
)

// issue puts the actions of a plan on the streams.
func (g *Group) issue(c *Call, p *plan) error {
	for i := range p.actions {
		a := &p.actions[i]
		if err := g.enter(g.ranks[a.rank].gpu); err != nil {
			return err
		}
		if err := g.act(c, a); err != nil {
			return err
		}
	}
	if c.Reduction != reduce.Avg || !c.Op.Reduces() {
		return nil
	}
	return g.average(c)
}

func (g *Group) act(c *Call, a *action) error {
	r := g.ranks[a.rank]
	switch a.verb {
	case ready:
		return g.d.check(g.d.eventRecord(r.ready, r.stream), "cuEventRecord")
	case taken:
		return g.d.check(g.d.eventRecord(r.taken, r.stream), "cuEventRecord")
	case awaitReady:
		return g.d.check(g.d.streamWait(r.stream, g.ranks[a.peer].ready, 0), "cuStreamWaitEvent")
	case awaitTaken:
		return g.d.check(g.d.streamWait(r.stream, g.ranks[a.peer].taken, 0), "cuStreamWaitEvent")
	}
	return g.moveOrReduce(c, a, r)
}

func (g *Group) moveOrReduce(c *Call, a *action, r *rank) error {
	n := a.dst.Len
	dst := g.at(c, a.rank, a.dst)
	switch a.verb {
	case copyFrom:
		return g.copy(r, dst, g.ranks[a.peer], g.at(c, a.peer, a.from), n*c.Type.Size())
	case copyOwn:
		return g.copy(r, dst, r, g.at(c, a.rank, a.src), n*c.Type.Size())
	case reduceOwn:
		return g.reduce(c, r, dst, dst, g.at(c, a.rank, a.src), n)
	}
	from := g.at(c, a.peer, a.from)
	if !r.reaches[a.peer] {
		if err := g.copy(r, r.stage.at, g.ranks[a.peer], from, n*c.Type.Size()); err != nil {
			return err
		}
		from = r.stage.at
	}
	return g.reduce(c, r, dst, from, g.at(c, a.rank, a.src), n)
}

// at returns where a rank's elements lie.
func (g *Group) at(c *Call, rank int, ref steps.Ref) Pointer {
	base := [steps.NumBufs]Pointer{c.In[rank], c.Out[rank], g.ranks[rank].scratch.at}[ref.Buf]
	return base + Pointer(ref.Off*c.Type.Size())
}

// copy puts a copy of n bytes on r's stream.
func (g *Group) copy(r *rank, dst Pointer, from *rank, src Pointer, n int) error {
	if dst == src {
		return nil
	}
	if r.gpu == from.gpu {
		return g.d.check(g.d.copyAsync(dst, src, uint64(n), r.stream), "cuMemcpyDtoDAsync")
	}
	return g.d.check(g.d.copyPeerAsync(dst, r.ctx, src, from.ctx, uint64(n), r.stream), "cuMemcpyPeerAsync")
}

func (g *Group) reduce(c *Call, r *rank, dst, a, b Pointer, n int) error {
	return g.launch(r, ptx.Reduce(c.Type, c.Reduction), n*c.Type.Size(), uint64(dst), uint64(a), uint64(b), uint64(n))
}

// average divides finished sums by the number of ranks.
func (g *Group) average(c *Call) error {
	for i, r := range g.ranks {
		_, n := steps.Lens(c.Spec, i)
		if n == 0 {
			continue
		}
		if err := g.enter(r.gpu); err != nil {
			return err
		}
		out := uint64(c.Out[i])
		if err := g.launch(r, ptx.Average(c.Type), n*c.Type.Size(), out, out, uint64(n), uint64(g.Size())); err != nil {
			return err
		}
	}
	return nil
}

// A launch has threads of a block, each for one access of 16 bytes at a time,
// and at most perUnit blocks on every multiprocessor: enough for all of its
// 2048 threads.
const (
	threads = 512
	perUnit = 4
)

// launchArgs is where a kernel's arguments lie while the driver copies them.
type launchArgs struct {
	values [8]uint64
	step   ptx.AdamStep
	at     [8]unsafe.Pointer
}

// launch puts a kernel over bytes on r's stream. Ranks that share a GPU share
// its multiprocessors.
func (g *Group) launch(r *rank, entry string, bytes int, args ...uint64) error {
	for i, v := range args {
		g.args.values[i] = v
		g.args.at[i] = unsafe.Pointer(&g.args.values[i])
	}
	return g.start(r, entry, bytes)
}

// start launches with the arguments that lie ready.
func (g *Group) start(r *rank, entry string, bytes int) error {
	if bytes == 0 || r.missing != nil {
		return r.missing
	}
	most := max(1, r.Multiprocessors*perUnit/r.gpu.ranks)
	blocks := min(most, (bytes+16*threads-1)/(16*threads))
	return g.d.check(g.d.launch(r.kernels[entry], uint32(blocks), 1, 1, threads, 1, 1, 0, r.stream,
		unsafe.Pointer(&g.args.at[0]), nil), "cuLaunchKernel "+entry)
}
