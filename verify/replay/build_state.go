package replay

import "planner/costmodel/timeline"

// lead is a parameter gather that a unit of the first pass of a chunk needs.
type lead struct {
	chunk, unit int
	slot        int32
}

// ahead is how many units early parameters are gathered, two layers: FSDP's rate limiter
// lets two gathers be in flight (torch.distributed.fsdp, limit_all_gathers).
const ahead = 2 * parts

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
		b.endPass(u)
		return
	}
	for _, buckets := range b.series(b.rows.grads) {
		b.open = append(b.open, b.bucketsOf(buckets, u)...)
	}
}

// endPass waits for the gradient calls of a pass that was not the last, as the
// frameworks do outside a pipeline (DeepSpeed stage_1_and_2.py,
// independent_gradient_partition_epilogue; PyTorch's DDP, Reducer::finalize_backward;
// FSDP, _root_post_backward_final_callback).
func (b *stageBuilder) endPass(u *unitOf) {
	if b.plan.Layout.PP == 1 && u.index == u.of-1 {
		b.waitAll(b.open)
		b.open = nil
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
		for range u.early(b.gathers(row, u)) {
			u.gathers = append(u.gathers, b.start(row))
		}
	}
}

// startLeads begins the gathers of updated parameters. The step waits for those
// that nothing runs beside.
func (b *stageBuilder) startLeads() {
	v := b.plan.Layout.VPP
	per := b.perChunk()
	for _, rows := range b.series(b.rows.lead) {
		n := len(rows)
		for i, row := range rows {
			slot := b.start(row)
			if b.plan.Calls[row].Overlaps == "" {
				b.wait(slot)
				continue
			}
			at := i * v * per / n // the unit whose parameters the bucket begins with
			b.leads = append(b.leads, lead{at / per, at % per, slot})
		}
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
