package engine

import (
	"planner/costmodel/collective"
	"planner/costmodel/collective/steps"
	"planner/verify/reduce"
	"planner/verify/transport"
)

// slots reports whether a call may run in slots.
func (t Tuning) slots(s steps.Spec, bytes int) bool {
	return s.Op == collective.AllReduce && s.Alg == steps.OneShot && s.Ranks > 1 && bytes <= transport.InlineMax
}

// inSlots runs a one-shot AllReduce of a message that travels in its slot: the
// inputs are reduced, in rank order, straight from the slots.
func (c *Comm) inSlots(call Call) error {
	n, me := c.Size(), c.Rank()
	size := call.Bytes()
	in, out := call.In[:size], call.Out[:size]
	c.port.Step(0)
	for k := 1; k < n; k++ {
		if err := c.port.Send((me+k)%n, in); err != nil {
			return err
		}
	}
	merge := reduce.Kernel(call.Type, call.Reduction)
	var sum []byte
	for r := range n {
		v, err := c.inputOf(r, in)
		if err != nil {
			return err
		}
		switch {
		case r == 0:
			sum = v
		case r == n-1:
			merge(out, sum, v)
		default: // out may be in, which is still to come
			part := c.partial(size)
			merge(part, sum, v)
			sum = part
		}
	}
	for k := 1; k < n; k++ {
		c.port.Done((me + k) % n)
	}
	if call.Reduction == reduce.Avg {
		reduce.Scale(call.Type, out, n)
	}
	return nil
}

// inputOf returns a rank's input: in for this one, a slot for others.
func (c *Comm) inputOf(rank int, in []byte) ([]byte, error) {
	if rank == c.Rank() {
		return in, nil
	}
	return c.port.Take(rank, len(in))
}
