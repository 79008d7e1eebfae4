// Package collective knows the collective calls of a training step: what they
// are, how many bytes they move, and what they cost on a placed group.
//
// M is the message as nccl-tests defines it: the buffer per rank for
// AllReduce, Broadcast and Reduce, the input per rank for ReduceScatter, the
// output per rank for AllGather, the send buffer including the chunk to self
// for AllToAll, the total at the root for Gather and Scatter, the message for
// Send and Recv (nccl-tests doc/PERFORMANCE.md and src/*.cu at a0b82b2).
package collective

import "planner/hardware/unit"

// Op is a collective or point-to-point operation.
type Op uint8

// The operations of a step.
const (
	AllReduce Op = iota
	ReduceScatter
	AllGather
	AllToAll
	Broadcast
	Reduce
	Gather
	Scatter
	Send
	Recv
	NumOps
)

var opNames = [NumOps]string{
	"all_reduce", "reduce_scatter", "all_gather", "all_to_all", "broadcast",
	"reduce", "gather", "scatter", "send", "recv",
}

// String returns the snake_case name used in every output.
func (o Op) String() string { return opNames[o] }

// Reduces reports whether the op adds up, or reduces otherwise, what ranks give.
func (o Op) Reduces() bool { return o == AllReduce || o == ReduceScatter || o == Reduce }

// ParseOp reads a name that String prints.
func ParseOp(s string) (Op, bool) {
	for i, n := range opNames {
		if n == s {
			return Op(i), true
		}
	}
	return 0, false
}

// BusFactor returns busbw/algbw for a group of n ranks, the bytes that the
// busiest link of a rank must carry per byte of M under a bandwidth-optimal
// point-to-point algorithm (nccl-tests doc/PERFORMANCE.md). It is 0 for n < 2.
func (o Op) BusFactor(n int) float64 {
	if n < 2 {
		return 0
	}
	ring := float64(n-1) / float64(n)
	switch o {
	case AllReduce:
		return 2 * ring
	case ReduceScatter, AllGather, AllToAll, Gather, Scatter:
		return ring
	}
	return 1
}

// Wire returns the bytes that the busiest rank sends in one call of message m
// over n ranks. A Recv sends nothing.
func (o Op) Wire(m unit.Bytes, n int) unit.Bytes {
	if o == Recv {
		return 0
	}
	return m.Times(o.BusFactor(n))
}

// DType is the element type of a call's payload.
type DType uint8

// The element types that calls carry.
const (
	BF16 DType = iota
	FP16
	FP32
	FP8
	FP4
	Int64
	Int32
	Int8
	numDTypes
)

var dtypes = [numDTypes]struct {
	name string
	size float64
}{{"bf16", 2}, {"fp16", 2}, {"fp32", 4}, {"fp8", 1}, {"fp4", 0.5}, {"int64", 8}, {"int32", 4}, {"int8", 1}}

// String returns the lower-case name.
func (d DType) String() string { return dtypes[d].name }

// Size returns bytes per element.
func (d DType) Size() float64 { return dtypes[d].size }
