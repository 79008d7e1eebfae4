package cuda

import (
	"fmt"

	"planner/costmodel/collective/steps"
	"planner/verify/reduce"
)

// Shift puts on the ranks' streams that every rank sends n elements to the
// next, as ring attention does, and takes those of the one before.
func (g *Group) Shift(t reduce.DType, n int, in, out []Pointer) error {
	size := g.Size()
	if len(in) != size || len(out) != size {
		return fmt.Errorf("shift over %d ranks with %d inputs and %d outputs: want %d of each", size, len(in), len(out), size)
	}
	p := &plan{}
	add := func(v verb, rank, peer int) { p.actions = append(p.actions, action{verb: v, rank: rank, peer: peer}) }
	for r := range size {
		add(ready, r, 0)
	}
	for r := range size {
		before := (r + size - 1) % size
		add(awaitReady, r, before)
		p.actions = append(p.actions, action{verb: copyFrom, rank: r, peer: before, from: steps.Ref{Buf: steps.Input, Len: n}, dst: steps.Ref{Buf: steps.Output, Len: n}})
		add(taken, r, 0)
	}
	for r := range size {
		add(awaitTaken, r, (r+1)%size)
	}
	c := Call{Type: t, In: in, Out: out}
	return g.on(func() error { return g.issue(&c, p) })
}
