package timeline

import "planner/costmodel"

// Slot is one pass of one micro-batch through one model chunk of a rank.
type Slot struct {
	Kind         Kind // Forward, Backward or Weight
	Micro, Chunk int32
}

// Order returns the passes of a rank in the order in which a schedule runs
// them: p ranks of v chunks each, m micro-batches. Interleaving needs m to be a
// multiple of p.
func Order(s costmodel.Schedule, rank, p, v, m int) []Slot {
	switch s {
	case costmodel.GPipe:
		return inTurn(v, m, m)
	case costmodel.ZBH1:
		return zeroBubble(rank, p, m)
	}
	if v > 1 {
		return interleaved(rank, p, v, m)
	}
	return inTurn(1, m, min(m, p-rank-1))
}

// inTurn runs warm forward passes, then one forward and one backward in turn,
// then the backward passes that are left. With every pass in the warm-up it is
// GPipe (Huang et al. 2019, figure 2), with p−i−1 it is 1F1B (Narayanan et al.
// 2021, figure 4; Megatron-LM pipeline_parallel/schedules.py:2334-2474).
func inTurn(v, m, warm int) []Slot {
	forward := func(k int) Slot { return Slot{Forward, int32(k % m), int32(k / m)} }
	backward := func(k int) Slot { return Slot{Backward, int32(k % m), int32(v - 1 - k/m)} }
	return alternate(v*m, min(v*warm, v*m), forward, backward)
}

// alternate runs n forward and n backward passes, warm of the former ahead.
func alternate(n, warm int, forward, backward func(int) Slot) []Slot {
	out := make([]Slot, 0, 2*n)
	for k := range warm {
		out = append(out, forward(k))
	}
	for k := range n {
		if k+warm < n {
			out = append(out, forward(k+warm))
		}
		out = append(out, backward(k))
	}
	return out
}

// interleaved is 1F1B over v chunks a rank (Narayanan et al. 2021, section
// 2.2): p micro-batches pass chunk 0, the same p chunk 1, and so on. The
// warm-up is (p−i−1)·2 + (v−1)·p passes (schedules.py:953-972).
func interleaved(rank, p, v, m int) []Slot {
	place := func(k int) (micro, chunk int) {
		group, in := k/(p*v), k%(p*v)
		return group*p + in%p, in / p
	}
	forward := func(k int) Slot {
		micro, chunk := place(k)
		return Slot{Forward, int32(micro), int32(chunk)}
	}
	backward := func(k int) Slot {
		micro, chunk := place(k)
		return Slot{Backward, int32(micro), int32(v - 1 - chunk)}
	}
	warm := min(2*(p-rank-1)+(v-1)*p, m*v)
	return alternate(m*v, warm, forward, backward)
}

// zeroBubble is ZB-H1 (Qi et al. 2023, section 2.1 and figure 2): 1F1B whose
// backward passes leave the weight gradients for later. Rank i runs those of
// micro-batch k after the backward pass of micro-batch k+i, so that no more
// than p micro-batches are in flight, and the last ones where 1F1B drains.
func zeroBubble(rank, p, m int) []Slot {
	passes := inTurn(1, m, min(m, p-rank-1))
	out := make([]Slot, 0, 3*m)
	next := int32(0)
	for _, s := range passes {
		out = append(out, s)
		if s.Kind == Backward && int(s.Micro) >= rank {
			out = append(out, Slot{Weight, next, 0})
			next++
		}
	}
	for ; int(next) < m; next++ {
		out = append(out, Slot{Weight, next, 0})
	}
	return out
}
