package replay

import (
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
	// gathering counts the forward and the backward passes that gather.
	gathering [2]int
	open      []int32 // slots of gradient calls that are still on their way
	hops      []int32 // slots of hops sent
}

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
	for _, row := range append(b.rows.late, b.rows.once...) {
		for range int(b.plan.Calls[row].Count + 0.5) {
			b.wait(b.start(row))
		}
	}
	b.delay(b.compute[passKey{int32(b.stage), -1, -1, timeline.Once}])
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
