package replay

import "planner/hardware/unit"

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
