package engine

import (
	"fmt"

	"planner/costmodel/collective"
	"planner/costmodel/collective/steps"
	"planner/verify/reduce"
	"planner/verify/transport"
)

// Choice is an algorithm to use, or none, which leaves it to the size.
type Choice struct {
	Algorithm steps.Algorithm
	Forced    bool
}

// Force returns the choice of one algorithm.
func Force(a steps.Algorithm) Choice { return Choice{a, true} }

// Call is one collective as one rank sees it.
type Call struct {
	Op        collective.Op
	Type      reduce.DType
	Reduction reduce.Op // of AllReduce, ReduceScatter and Reduce
	Root      int       // of Broadcast, Reduce, Gather, Scatter
	Peer      int       // of Send and Recv: the other rank
	Count     int       // elements of M
	In, Out   []byte    // lengths as steps.Lens has them; they may alias as in steps.InPlace
	Algorithm Choice
}

// Bytes returns M in bytes.
func (c Call) Bytes() int { return c.Count * c.Type.Size() }

func rooted(op collective.Op) bool {
	switch op {
	case collective.Broadcast, collective.Reduce, collective.Gather, collective.Scatter:
		return true
	}
	return false
}

func pairwise(op collective.Op) bool { return op == collective.Send || op == collective.Recv }

// barrierCode stands for a barrier in signatures; no collective.Op has it.
const barrierCode = uint8(collective.NumOps)

// signature is what the ranks must agree on.
func (c Call) signature(s steps.Spec) transport.Signature {
	sig := transport.Signature{Op: uint8(s.Op), DType: uint8(c.Type), Algorithm: uint8(s.Alg),
		Count: uint64(s.Count), Root: int32(s.Root)}
	if pairwise(s.Op) {
		sig.Op = uint8(collective.Send)
	}
	if s.Op.Reduces() {
		sig.RedOp = uint8(c.Reduction)
	}
	return sig
}

func opName(s transport.Signature) string {
	switch {
	case s.Op == barrierCode:
		return "barrier"
	case s.Op == uint8(collective.Send):
		return "send/recv"
	case s.Op > barrierCode:
		return fmt.Sprintf("unknown operation %d", s.Op)
	}
	return collective.Op(s.Op).String()
}

func describe(s transport.Signature) string {
	name := opName(s)
	if s.Op >= barrierCode || s.DType >= uint8(reduce.NumDTypes) || s.RedOp >= uint8(reduce.NumOps) {
		return name
	}
	text := fmt.Sprintf("%s of %d %v", name, s.Count, reduce.DType(s.DType))
	op := collective.Op(s.Op)
	if op.Reduces() {
		text += fmt.Sprintf(" %v", reduce.Op(s.RedOp))
	}
	if rooted(op) {
		text += fmt.Sprintf(" root %d", s.Root)
	}
	if !pairwise(op) {
		text += fmt.Sprintf(" by %v", steps.Algorithm(s.Algorithm))
	}
	return text
}

func init() { transport.Names, transport.OpName = describe, opName }

// check reports what is wrong with the arguments of c in a group.
func (c Call) check(s steps.Spec, rank int) error {
	if c.Type >= reduce.NumDTypes || c.Op.Reduces() && c.Reduction >= reduce.NumOps {
		return fmt.Errorf("%v: unknown type %d or reduction %d", c.Op, c.Type, c.Reduction)
	}
	in, out := steps.Lens(s, rank)
	e := c.Type.Size()
	if len(c.In) < in*e {
		return fmt.Errorf("%v input of %d bytes: too short: want %d", c.Op, len(c.In), in*e)
	}
	if len(c.Out) < out*e {
		return fmt.Errorf("%v output of %d bytes: too short: want %d", c.Op, len(c.Out), out*e)
	}
	if transport.Overlap(c.In[:in*e], c.Out[:out*e]) && !steps.InPlace(s) {
		return fmt.Errorf("%v by %v: cannot run in place: want separate buffers", c.Op, s.Alg)
	}
	return nil
}
