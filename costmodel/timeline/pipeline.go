package timeline

import (
	"planner/costmodel"
	"planner/costmodel/collective"
	"planner/hardware/unit"
)

// Segment is a part of a pass: so long on one stream.
type Segment struct {
	Stream Stream
	What   string
	Dur    unit.Seconds
}

// Pipeline is a training step over the ranks of a pipeline.
type Pipeline struct {
	Schedule             costmodel.Schedule
	Ranks, Chunks, Micro int
	// Pass returns the parts of one pass, run one after another: what a rank
	// waits for belongs to it, such as the hop that brings its input.
	Pass func(rank, chunk int, k Kind) []Segment
	// Lead and Tail hold, by rank, what precedes its first pass and what
	// follows its last; nil: nothing.
	Lead, Tail []unit.Seconds
	// Once holds what a step does after every rank has reduced its gradients:
	// by phase, by rank. A phase begins when every rank has ended the one
	// before.
	Once [][][]Segment
}

// Build expands the step into tasks. A pass waits for the pass before it on
// its rank, and for the same micro-batch's pass on the stage before (forward)
// or after (backward).
func (p *Pipeline) Build() *Timeline {
	b := builder{p: p, t: &Timeline{Ranks: p.Ranks}}
	b.plan()
	b.passes()
	b.once()
	return b.t
}

type builder struct {
	p      *Pipeline
	t      *Timeline
	orders [][]Slot
	// fwd and bwd hold the last task of a pass, by stage and micro-batch.
	fwd, bwd []ID
	ends     []ID // the last task of each rank
}

// plan lays the passes out and numbers their tasks ahead of adding them,
// because ranks wait for each other both ways.
func (b *builder) plan() {
	p := b.p
	stages := p.Ranks * p.Chunks
	b.fwd, b.bwd = make([]ID, stages*p.Micro), make([]ID, stages*p.Micro)
	b.orders = make([][]Slot, p.Ranks)
	next := ID(0)
	for r := range p.Ranks {
		b.orders[r] = Order(p.Schedule, r, p.Ranks, p.Chunks, p.Micro)
		if p.Lead != nil {
			next++
		}
		for _, s := range b.orders[r] {
			next += ID(len(b.segments(r, s)))
			switch at := b.at(r, s); s.Kind {
			case Forward:
				b.fwd[at] = next - 1
			case Backward:
				b.bwd[at] = next - 1
			}
		}
		if p.Tail != nil {
			next++
		}
	}
}

var nothing = []Segment{{Compute, "", 0}}

func (b *builder) segments(rank int, s Slot) []Segment {
	if x := b.p.Pass(rank, int(s.Chunk), s.Kind); len(x) > 0 {
		return x
	}
	return nothing
}

// at returns the index of a pass; chunk c of rank r is stage c·p + r.
func (b *builder) at(rank int, s Slot) int {
	return (int(s.Chunk)*b.p.Ranks+rank)*b.p.Micro + int(s.Micro)
}

// source returns the pass whose result a pass needs, −1 for none.
func (b *builder) source(rank int, s Slot) ID {
	at, m := b.at(rank, s), b.p.Micro
	switch {
	case s.Kind == Forward && at >= m:
		return b.fwd[at-m]
	case s.Kind == Backward && at+m < len(b.bwd):
		return b.bwd[at+m]
	case s.Kind == Backward:
		return b.fwd[at]
	}
	return -1
}

func (b *builder) passes() {
	for r, order := range b.orders {
		prev := ID(-1)
		add := func(x Task, after ...ID) {
			x.Rank = int32(r)
			if prev >= 0 {
				after = append(after, prev)
			}
			prev = b.t.Add(x, after...)
		}
		if b.p.Lead != nil {
			add(Task{Micro: -1, Chunk: -1, Kind: Lead, Stream: Comm(collective.AxisDP), What: "parameters", Dur: b.p.Lead[r]})
		}
		for _, s := range order {
			after := make([]ID, 0, 2)
			if from := b.source(r, s); from >= 0 {
				after = append(after, from)
			}
			for _, x := range b.segments(r, s) {
				add(Task{Micro: s.Micro, Chunk: s.Chunk, Kind: s.Kind, Stream: x.Stream, What: x.What, Dur: x.Dur}, after...)
				after = after[:0]
			}
		}
		if b.p.Tail != nil {
			add(Task{Micro: -1, Chunk: -1, Kind: Tail, Stream: Comm(collective.AxisDP), What: "gradients", Dur: b.p.Tail[r]})
		}
		b.ends = append(b.ends, prev)
	}
}

// once adds the phases, each behind a task of no length that joins the ranks.
func (b *builder) once() {
	for _, phase := range b.p.Once {
		join := b.t.Add(Task{Micro: -1, Chunk: -1, Kind: Once, What: "join"}, b.ends...)
		for r := range b.p.Ranks {
			prev := join
			for _, x := range phase[r] {
				prev = b.t.Add(Task{Rank: int32(r), Micro: -1, Chunk: -1, Kind: Once, Stream: x.Stream, What: x.What, Dur: x.Dur}, prev)
			}
			b.ends[r] = prev
		}
	}
}
