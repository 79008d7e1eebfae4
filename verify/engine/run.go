package engine

import (
	"fmt"

	"planner/costmodel/collective"
	"planner/costmodel/collective/steps"
	"planner/verify/reduce"
	"planner/verify/transport"
)

// Do runs call and returns when In may be changed and Out holds the result.
// Calls that were started before it finish first.
func (c *Comm) Do(call Call) error {
	if c.stream.busy() {
		return c.Start(call).Wait()
	}
	return c.run(call)
}

// Plan returns the specification that the engine would run call with.
func (c *Comm) Plan(call Call) (steps.Spec, error) {
	s := steps.Spec{Op: call.Op, Ranks: c.Size(), Root: call.Root, Count: call.Count}
	switch call.Op {
	case collective.Send:
		s.Root, s.Dest = c.Rank(), call.Peer
	case collective.Recv:
		s.Root, s.Dest = call.Peer, c.Rank()
	}
	if !rooted(call.Op) && !pairwise(call.Op) {
		s.Root = 0
	}
	if call.Op >= collective.NumOps {
		return s, fmt.Errorf("operation %d: unknown", call.Op)
	}
	s.Alg = c.tuning.choose(call, s, c.node)
	if s.Alg == steps.Hierarchical {
		s.Node = max(c.node, 1)
	}
	s.Chunk = c.tuning.chunk(s, call.Type.Size())
	return s, nil
}

// run executes one call on the calling goroutine.
func (c *Comm) run(call Call) error {
	s, err := c.Plan(call)
	if err != nil {
		return err
	}
	whole, err := c.program(s)
	if err != nil {
		return err
	}
	if err := call.check(s, c.Rank()); err != nil {
		return err
	}
	if err := c.begin(call, s, len(whole)); err != nil {
		return err
	}
	switch {
	case c.open && c.tuning.slots(s, call.Bytes()):
		return c.inSlots(call)
	case c.Fuses(s, call.Type.Size()):
		if done, err := c.fused(call); done || err != nil {
			return err
		}
	}
	return c.steps(call, s, whole)
}

// steps executes a call step by step.
func (c *Comm) steps(call Call, s steps.Spec, whole steps.Program) error {
	if err := c.segments(call, s, whole); err != nil {
		return err
	}
	if err := c.port.Flush(); err != nil {
		return err
	}
	c.average(call, s)
	return nil
}

func (c *Comm) begin(call Call, s steps.Spec, n int) error {
	sig := call.signature(s)
	if pairwise(s.Op) {
		return c.port.BeginPair(sig)
	}
	return c.port.Begin(sig, n)
}

// program returns this rank's steps, from the cache if it has them.
func (c *Comm) program(s steps.Spec) (steps.Program, error) {
	if s == c.last.spec && c.last.program != nil { // most calls repeat
		return c.last.program, nil
	}
	p, err := c.lookUp(s)
	c.last.spec, c.last.program = s, p
	return p, err
}

func (c *Comm) lookUp(s steps.Spec) (steps.Program, error) {
	if p, ok := c.programs[s]; ok {
		return p, nil
	}
	p, err := steps.Build(s, c.Rank())
	if err != nil {
		return nil, err
	}
	if len(c.programs) > 1000 { // a caller with ever new sizes
		clear(c.programs)
	}
	c.programs[s] = p
	return p, nil
}

// segments runs a call that treats all elements alike piece by piece, so that
// what one step writes is still in the cache when the next reads it.
func (c *Comm) segments(call Call, s steps.Spec, whole steps.Program) error {
	e := call.Type.Size()
	step := c.tuning.segment(s, e)
	if step >= s.Count {
		return c.execute(call, whole, 0)
	}
	for o := 0; o < s.Count; o += step {
		part := s
		part.Count = min(step, s.Count-o)
		p, err := c.program(part)
		if err != nil {
			return err
		}
		if err := c.execute(call, p, o*e); err != nil {
			return err
		}
	}
	return nil
}

// execute runs a program on the buffers of call from byte off on.
func (c *Comm) execute(call Call, p steps.Program, off int) error {
	e := call.Type.Size()
	bufs := [steps.NumBufs][]byte{steps.Input: tail(call.In, off), steps.Output: tail(call.Out, off)}
	if n := p.ScratchLen() * e; n > 0 {
		if err := c.reserve(n); err != nil {
			return err
		}
		bufs[steps.Scratch] = c.scratch
	}
	x := execution{port: c.port, bufs: bufs, size: e}
	if call.Op.Reduces() {
		x.merge = transport.Merge(reduce.Kernel(call.Type, call.Reduction))
	}
	return x.run(p)
}

func tail(b []byte, off int) []byte { return b[min(off, len(b)):] }

// reserve makes scratch at least n bytes long.
func (c *Comm) reserve(n int) error {
	if n <= len(c.scratch) {
		return nil
	}
	if err := c.port.Flush(); err != nil {
		return err
	}
	c.world.Free(c.scratch)
	c.scratch = nil
	b, err := c.world.Alloc(n)
	if err != nil {
		return c.port.Fail(-1, fmt.Sprintf("no scratch of %d bytes: %v", n, err))
	}
	c.scratch = b
	return nil
}

// average divides a finished sum by the number of ranks.
func (c *Comm) average(call Call, s steps.Spec) {
	if call.Reduction != reduce.Avg || !call.Op.Reduces() {
		return
	}
	if _, out := steps.Lens(s, c.Rank()); out > 0 {
		reduce.Scale(call.Type, call.Out[:out*call.Type.Size()], c.Size())
	}
}

// Part is a program that a call runs a number of times.
type Part struct {
	steps.Spec
	Times int
}

// Segments returns what the engine makes of a call with elements of elem
// bytes: whole segments, and what is left.
func (c *Comm) Segments(s steps.Spec, elem int) []Part {
	n := c.tuning.segment(s, elem)
	if n >= s.Count {
		return []Part{{s, 1}}
	}
	whole, rest := s, s
	whole.Count, rest.Count = n, s.Count%n
	parts := []Part{{whole, s.Count / n}}
	if rest.Count > 0 {
		parts = append(parts, Part{rest, 1})
	}
	return parts
}
