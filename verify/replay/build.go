package replay

import (
	"math"
	"strings"

	"planner/costmodel/timeline"
	"planner/hardware/unit"
)

// stageBuilder writes the program of one pipeline rank.
type stageBuilder struct {
	plan     *Plan
	stage    int
	micro    int
	layers   int
	compute  map[passKey]unit.Seconds
	rows     rowSet
	out      []Action
	computed unit.Seconds
	leads    []lead
	open     []int32 // slots of gradient calls that are still on their way
	hops     []int32 // slots of hops sent
}

// lead is a parameter gather that a unit of the first pass of a chunk needs.
type lead struct {
	chunk, unit int
	slot        int32
}

// unitOf is a part of a layer of a pass: the grain at which calls and compute
// alternate.
type unitOf struct {
	timeline.Slot
	index, of int
	gathers   []int32 // slots, once started
}

// parts is how many units a layer is cut into: attention and MLP.
const parts = 2

// ahead is how many units early parameters are gathered, two layers: FSDP's rate limiter
// lets two gathers be in flight (torch.distributed.fsdp, limit_all_gathers).
const ahead = 2 * parts

func (b *stageBuilder) build() {
	order := timeline.Order(b.plan.Layout.Schedule, b.stage, b.plan.Layout.PP, b.plan.Layout.VPP, b.micro)
	units := b.units(order)
	b.startLeads()
	for i := range min(ahead, len(units)) {
		b.startGathers(&units[i])
	}
	for i := range units {
		var next *unitOf
		if i+ahead < len(units) {
			next = &units[i+ahead]
		}
		b.unit(&units[i], next)
	}
	b.waitAll(b.open)
	b.waitAll(b.hops)
	for _, row := range b.rows.once {
		for range int(b.plan.Calls[row].Count + 0.5) {
			b.wait(b.start(row))
		}
	}
	b.delay(b.compute[passKey{int32(b.stage), -1, -1, timeline.Once}])
}

// units cuts the passes of a schedule into parts of layers.
func (b *stageBuilder) units(order []timeline.Slot) []unitOf {
	per := b.perChunk()
	var out []unitOf
	for _, s := range order {
		n := per
		if s.Kind == timeline.Weight {
			n = 1
		}
		for u := range n {
			out = append(out, unitOf{Slot: s, index: u, of: n})
		}
	}
	return out
}

func (b *stageBuilder) perChunk() int { return max(1, parts*b.layers/b.plan.Layout.VPP) }

// early is times for what a unit needs rather than leaves: it falls to the
// first of the units that share a call.
func (u *unitOf) early(per float64) int {
	last := *u
	last.index = u.of - 1 - u.index
	return last.times(per)
}

// times returns how often a call that a pass makes per times falls to a unit.
func (u *unitOf) times(per float64) int {
	return int(float64(u.index+1)*per/float64(u.of)+almost) - int(float64(u.index)*per/float64(u.of)+almost)
}

// perPass returns how often a pass of the unit's kind makes the calls of a row.
func (b *stageBuilder) perPass(row int32, u *unitOf) float64 {
	return b.ofChunk(b.plan.Calls[row].Count/float64(b.micro), u)
}

// ofChunk returns how many of n calls fall to the chunk of a unit. What does not
// divide belongs to the ends of the model: the first chunk of the first stage,
// the last of the others.
func (b *stageBuilder) ofChunk(n float64, u *unitOf) float64 {
	v := float64(b.plan.Layout.VPP)
	if math.Abs(n/v-math.Round(n/v)) < almost || v == 1 {
		return n / v
	}
	c := float64(u.Chunk)
	if b.stage == 0 {
		c = v - 1 - c
	}
	return math.Floor((c+1)*n/v+almost) - math.Floor(c*n/v+almost)
}

// almost is what sums of fractions may miss a whole number by.
const almost = 1e-6

// inPass returns how often the pass of a unit makes the layer-wise calls of a
// row. Where the framework keeps parameters and sums gradients over the
// micro-batches, the first forward pass gathers and the last backward pass
// scatters.
func (b *stageBuilder) inPass(row int32, u *unitOf) float64 {
	c := &b.plan.Calls[row]
	whole := float64(b.layers)
	if !strings.Contains(c.Purpose, "layer ") && !strings.Contains(c.Purpose, "shard") {
		whole = 1 // embedding, head and norm
	}
	if c.Count > whole+0.5 || b.micro == 1 {
		return b.perPass(row, u)
	}
	at := 0
	if u.Kind == timeline.Backward {
		at = b.micro - 1
	}
	if int(u.Micro) != at {
		return 0
	}
	return b.ofChunk(c.Count, u)
}

// unit writes one unit of a pass: what it waits for, its compute with the
// calls that the rank waits for spread through it, and what it leaves behind.
// The gathers of next start beside it.
func (b *stageBuilder) unit(u, next *unitOf) {
	if u.index == 0 {
		b.receive(u)
	}
	b.waitLeads(u)
	b.waitAll(u.gathers)
	if next != nil {
		b.startGathers(next)
	}
	b.work(u)
	b.leave(u)
	if u.index == u.of-1 {
		b.send(u)
	}
}

func dirOf(k timeline.Kind) int {
	if k == timeline.Forward {
		return 0
	}
	return 1
}

// work alternates compute and calls.
func (b *stageBuilder) work(u *unitOf) {
	total := b.compute[passKey{int32(b.stage), u.Micro, u.Chunk, u.Kind}].Times(1 / float64(u.of))
	if u.Kind == timeline.Weight {
		b.delay(total)
		return
	}
	var calls, aside []int32
	for _, row := range b.rows.aside[dirOf(u.Kind)] {
		for range u.times(b.perPass(row, u)) {
			aside = append(aside, b.start(row))
		}
	}
	for _, row := range b.rows.inline[dirOf(u.Kind)] {
		for range u.times(b.perPass(row, u)) {
			calls = append(calls, row)
		}
	}
	piece := total.Times(1 / float64(len(calls)+1))
	b.delay(piece)
	for _, row := range calls {
		b.wait(b.start(row))
		b.delay(piece)
	}
	b.waitAll(aside)
}

// leave starts the gradient calls that a unit's backward pass makes ready.
func (b *stageBuilder) leave(u *unitOf) {
	if u.Kind != timeline.Backward {
		return
	}
	beside := func(row int32, per float64) {
		for range u.times(per) {
			b.open = append(b.open, b.start(row))
		}
	}
	for _, row := range b.rows.scatter {
		beside(row, b.inPass(row, u))
	}
	for _, row := range b.rows.micro {
		beside(row, b.perPass(row, u))
	}
	if int(u.Micro) != b.micro-1 {
		return
	}
	for _, buckets := range b.series(b.rows.grads) {
		b.open = append(b.open, b.bucketsOf(buckets, u)...)
	}
}

// series joins rows that are one series of buckets, the whole ones and the
// last: the same call over the same group.
func (b *stageBuilder) series(rows []int32) [][]int32 {
	var out [][]int32
	for i, row := range rows {
		c := &b.plan.Calls[row]
		again := i > 0 && b.plan.Calls[rows[i-1]].Op == c.Op && b.plan.Calls[rows[i-1]].Span == c.Span
		if !again {
			out = append(out, nil)
		}
		last := len(out) - 1
		for range int(c.Count + 0.5) {
			out[last] = append(out[last], row)
		}
	}
	return out
}

// bucketsOf starts the gradient buckets that a unit of the last backward pass
// fills: bucket j of n is full when (j+1)/n of the passes are done, chunk by
// chunk from the last.
func (b *stageBuilder) bucketsOf(rows []int32, u *unitOf) []int32 {
	v := b.plan.Layout.VPP
	done := (v-1-int(u.Chunk))*u.of + u.index // units before this one
	var slots []int32
	for j := done * len(rows) / (v * u.of); j < (done+1)*len(rows)/(v*u.of); j++ {
		slots = append(slots, b.start(rows[j]))
	}
	return slots
}

// startGathers begins the parameter gathers that a unit needs.
func (b *stageBuilder) startGathers(u *unitOf) {
	if u.Kind == timeline.Weight {
		return
	}
	for _, row := range b.rows.gather[dirOf(u.Kind)] {
		for range u.early(b.inPass(row, u)) {
			u.gathers = append(u.gathers, b.start(row))
		}
	}
}

// startLeads begins the gathers of updated parameters. Where the framework
// does not overlap them, the step waits for all.
func (b *stageBuilder) startLeads() {
	v := b.plan.Layout.VPP
	per := b.perChunk()
	for _, rows := range b.series(b.rows.lead) {
		n := len(rows)
		for i, row := range rows {
			at := i * v * per / n // the unit whose parameters the bucket begins with
			b.leads = append(b.leads, lead{at / per, at % per, b.start(row)})
		}
	}
	if !b.rows.overlapped {
		for _, l := range b.leads {
			b.wait(l.slot)
		}
		b.leads = nil
	}
}

func (b *stageBuilder) waitLeads(u *unitOf) {
	if u.Kind != timeline.Forward || u.Micro != 0 {
		return
	}
	for _, l := range b.leads {
		if l.chunk == int(u.Chunk) && l.unit == u.index {
			b.wait(l.slot)
		}
	}
}

// receive waits for the input of a pass, send passes its result on.
func (b *stageBuilder) receive(u *unitOf) {
	b.hop(u, true)
}

func (b *stageBuilder) send(u *unitOf) {
	b.hop(u, false)
}

// hop moves the input or the result of a pass between pipeline ranks. Chunk c
// of rank r is stage c·pp + r of the model.
func (b *stageBuilder) hop(u *unitOf, in bool) {
	if u.Kind == timeline.Weight {
		return
	}
	pp, v := b.plan.Layout.PP, b.plan.Layout.VPP
	dir := dirOf(u.Kind)
	toward := 1 - 2*dir // of the data
	other := toward
	if in {
		other = -toward
	}
	at := int(u.Chunk)*pp + b.stage
	if at+other < 0 || at+other >= pp*v {
		return
	}
	row := b.rows.send[dir]
	if in {
		row = b.rows.recv[dir]
	}
	if row < 0 {
		return
	}
	slot := b.add(Action{Kind: Start, Row: row, Peer: int32((at + other + pp) % pp), Dir: uint8(dir)})
	if in {
		b.wait(slot)
		return
	}
	b.hops = append(b.hops, slot)
}

func (b *stageBuilder) start(row int32) int32 {
	return b.add(Action{Kind: Start, Row: row, Peer: -1})
}

// add appends a start and numbers its slot.
func (b *stageBuilder) add(a Action) int32 {
	a.Slot = int32(b.plan.slots)
	b.plan.slots++
	b.out = append(b.out, a)
	return a.Slot
}

func (b *stageBuilder) wait(slot int32) {
	b.out = append(b.out, Action{Kind: Wait, Slot: slot})
}

func (b *stageBuilder) waitAll(slots []int32) {
	for _, s := range slots {
		b.wait(s)
	}
}

func (b *stageBuilder) delay(d unit.Seconds) {
	if d <= 0 {
		return
	}
	b.computed += d
	if n := len(b.out); n > 0 && b.out[n-1].Kind == Delay {
		b.out[n-1].Seconds += float64(d)
		return
	}
	b.out = append(b.out, Action{Kind: Delay, Seconds: float64(d)})
}
