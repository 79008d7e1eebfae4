package replay

import "planner/costmodel/timeline"

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
