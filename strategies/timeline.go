package strategies

import (
	"planner/costmodel"
	"planner/costmodel/collective"
	"planner/costmodel/timeline"
	"planner/hardware/unit"
)

// Timeline expands the blocks of a legal layout into the tasks of one step,
// walked: passes of every micro-batch through every model chunk of each
// pipeline rank, with what each waits for, then gradients, norms and the
// optimizer. Its makespan is what Estimate's closed form gives as Step, within
// half a percent. It holds some ten tasks for each rank, chunk and micro-batch.
func (p *Problem) Timeline(l Layout, prof *Profile) *timeline.Timeline {
	r := p.newRun(l, prof)
	r.estimate()
	x := pipelineOf(r)
	t := x.build().Build()
	if err := t.Walk(); err != nil {
		panic(err) // a schedule that cannot run is a fault of ours
	}
	if !p.Work.LayersOnly {
		t.Stretch(1 + r.fit.straggle(p.Cluster.GPUs))
	}
	t.Stretch(r.pace)
	return t
}

// ChunkActivations returns the bytes that one micro-batch keeps on each model
// chunk between its forward and its backward pass, by pipeline rank and chunk.
func (p *Problem) ChunkActivations(l Layout, prof *Profile) [][]unit.Bytes {
	r := p.newRun(l, prof)
	r.estimate()
	x := pipelineOf(r)
	out := make([][]unit.Bytes, l.PP)
	for i := range out {
		for c := range l.VPP {
			out[i] = append(out[i], x.parts[i][c].keep)
		}
	}
	return out
}

func (p *Problem) newRun(l Layout, prof *Profile) *run {
	s := newSite(p, prof, l)
	c := p.chainOf(&l, prof)
	return &run{p: p, prof: prof, fit: s.fit, l: &l, chain: c, layers: s.hopped(c, false), state: s.stateSet(c, &slabs{})}
}

// expansion is a run by pipeline rank and model chunk.
type expansion struct {
	*run
	stage []int // stage of each rank, an index of chain.stages
	parts [][]chunkRun
}

// chunkRun is one model chunk for one micro-batch.
type chunkRun struct {
	block
	passes [3][]timeline.Segment // by timeline.Kind: forward, backward, weight
}

func pipelineOf(r *run) *expansion {
	x := &expansion{run: r, parts: make([][]chunkRun, r.l.PP)}
	for i := range r.chain.stages {
		for range r.chain.stages[i].ranks {
			x.stage = append(x.stage, i)
		}
	}
	at := 0
	for g, n := range r.p.layersOf(r.l, r.prof) {
		rank := g % r.l.PP
		x.parts[rank] = append(x.parts[rank], chunkRun{block: x.chunk(rank, g, r.p.Model.Pattern[at:at+n])})
		at += n
	}
	for rank := range x.parts {
		x.segments(rank)
	}
	return x
}

// chunk adds up the blocks of model chunk g, which holds layers of the kinds
// listed.
func (x *expansion) chunk(rank, g int, kinds []uint8) block {
	var b block
	st := &x.chain.stages[x.stage[rank]]
	for _, k := range kinds {
		part := 0.0
		if x.layers.full != nil {
			part = min(1, float64(x.l.FullLayers)/float64(st.total))
			b.plus(&x.layers.full[k], part)
		}
		b.plus(&x.layers.kinds[k], 1-part)
	}
	if x.p.Work.LayersOnly {
		return b
	}
	if g == 0 {
		b.plus(&x.layers.embed, 1)
	}
	if g == x.l.PP*x.l.VPP-1 {
		b.plus(&x.layers.head, 1)
	}
	return b
}

// segments divides the time of a rank's stage over its chunks: blocks and hops
// belong to a chunk, layer-wise calls and host time are shared out evenly.
func (x *expansion) segments(rank int) {
	v := float64(x.l.VPP)
	s := &x.stages[x.stage[rank]]
	even := 1 / v
	for c := range x.parts[rank] {
		p := &x.parts[rank][c]
		g := c*x.l.PP + rank
		hop := x.hop(rank, g)
		axes := p.axes
		axes[collective.AxisDP] = axes[collective.AxisDP].Plus(s.data.Times(even))
		compute := p.compute.Plus(p.host)
		compute.Fwd += s.batch.Times(even / 2)
		compute.Bwd += s.batch.Times(even / 2)
		var split unit.Seconds
		if x.l.Schedule == ZBH1 && x.l.PP > 1 {
			split = p.weight
		}
		p.passes[timeline.Forward] = listed(hop.Fwd, compute.Fwd, &axes, forwardOf)
		p.passes[timeline.Backward] = listed(hop.Bwd, compute.Bwd-split, &axes, backwardOf)
		p.passes[timeline.Weight] = []timeline.Segment{{Stream: timeline.Compute, What: "weight gradients", Dur: split}}
	}
}

// hop returns what model chunk g of a rank waits for its messages.
func (x *expansion) hop(rank, g int) (p costmodel.Pass) {
	st := &x.chain.stages[x.stage[rank]]
	if g > 0 {
		p.Fwd = x.layers.hops[st.before].wait
	}
	if g < x.l.PP*x.l.VPP-1 && !x.p.Work.Forward {
		p.Bwd = x.layers.hops[st.after].wait
	}
	return p
}

func forwardOf(p costmodel.Pass) unit.Seconds  { return p.Fwd }
func backwardOf(p costmodel.Pass) unit.Seconds { return p.Bwd }

// listed returns the segments of a pass: the hop that it waits for, its
// kernels, and the calls that these do not hide.
func listed(hop, compute unit.Seconds, axes *[collective.NumAxes]costmodel.Pass, of func(costmodel.Pass) unit.Seconds) []timeline.Segment {
	var out []timeline.Segment
	if hop > 0 {
		out = append(out, timeline.Segment{Stream: timeline.Comm(collective.AxisPP), What: "hop", Dur: hop})
	}
	out = append(out, timeline.Segment{Stream: timeline.Compute, What: "layers", Dur: compute})
	for a := range axes {
		if t := of(axes[a]); t > 0 {
			out = append(out, timeline.Segment{Stream: timeline.Comm(collective.Axis(a)), What: collective.Axis(a).String(), Dur: t})
		}
	}
	return out
}

func (x *expansion) build() *timeline.Pipeline {
	p := &timeline.Pipeline{
		Schedule: x.l.Schedule, Ranks: x.l.PP, Chunks: x.l.VPP, Micro: int(x.m),
		Pass: func(rank, chunk int, k timeline.Kind) []timeline.Segment { return x.parts[rank][chunk].passes[k] },
	}
	if x.p.Work.LayersOnly {
		return p
	}
	p.Once = make([][][]timeline.Segment, 3)
	for _, i := range x.stage {
		p.Lead, p.Tail = append(p.Lead, x.stages[i].lead), append(p.Tail, x.stages[i].tail)
		p.Once[0] = append(p.Once[0], onceOf(x.state.tiny[i]))
		p.Once[1] = append(p.Once[1], []timeline.Segment{{Stream: timeline.Compute, What: "optimizer", Dur: x.state.step[i]}})
		p.Once[2] = append(p.Once[2], []timeline.Segment{{Stream: timeline.Compute, What: "host", Dur: x.fit.HostStep}})
	}
	return p
}

// onceOf returns the small calls of a step, one after another.
func onceOf(cost stepCost) []timeline.Segment {
	var out []timeline.Segment
	for a, t := range cost {
		if t > 0 {
			out = append(out, timeline.Segment{Stream: timeline.Comm(collective.Axis(a)), What: "norms and loss", Dur: t})
		}
	}
	return out
}
