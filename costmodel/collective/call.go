package collective

import (
	"planner/hardware"
	"planner/hardware/unit"
)

// Phase says when in a job a call is made.
type Phase uint8

// The phases; calls of Init and Checkpoint are made once per job or
// checkpoint and are no part of a step.
const (
	Init Phase = iota
	Forward
	Backward
	Optimizer
	Checkpoint
)

var phaseNames = []string{"init", "forward", "backward", "optimizer", "checkpoint"}

// String returns the lower-case name used in every output.
func (p Phase) String() string { return phaseNames[p] }

// InStep reports whether calls of the phase are made every step.
func (p Phase) InStep() bool { return p >= Forward && p <= Optimizer }

// Dims is the set of dimensions of the rank grid that a group spans.
type Dims uint8

// The dimensions, in rank order.
const (
	TP Dims = 1 << iota
	CP
	EP
	ETP
	DP
	PP
	EDP     // the data-parallel ranks of the experts
	numDims = 7
)

// World is every rank.
const World = TP | CP | DP | PP

var dimNames = [numDims]string{"tp", "cp", "ep", "etp", "dp", "pp", "edp"}

// Names returns the lower-case names in rank order.
func (d Dims) Names() []string {
	var names []string
	for i, n := range dimNames {
		if d&(1<<i) != 0 {
			names = append(names, n)
		}
	}
	return names
}

// Axis is what exposed communication is booked on.
type Axis uint8

// The axes of an estimate.
const (
	AxisTP Axis = iota
	AxisCP
	AxisEP
	AxisPP
	AxisDP
	AxisOther
	NumAxes
)

var axisNames = [NumAxes]string{"tp", "cp", "ep", "pp", "dp", "other"}

// String returns the lower-case name.
func (a Axis) String() string { return axisNames[a] }

// Axes returns every axis in order.
func Axes() [NumAxes]Axis { return [NumAxes]Axis{AxisTP, AxisCP, AxisEP, AxisPP, AxisDP, AxisOther} }

// Call is one kind of collective call, as one rank of a pipeline stage makes
// it in one step.
type Call struct {
	Op      Op
	Purpose string
	Phase   Phase
	Dims    Dims
	Axis    Axis
	Span    hardware.Span
	DType   DType
	Bytes   unit.Bytes // M of one call
	Count   float64    // calls per step
	Stage   int
	// Overlaps names the work that may hide the call, or is empty.
	Overlaps string

	Price                // of one call, alone on its links
	Exposed unit.Seconds // over all Count calls: what nothing hides
}

// Total returns the standalone time of all Count calls.
func (c *Call) Total() unit.Seconds { return c.Seconds.Times(c.Count) }

// Wire returns the bytes that the busiest rank sends in one call.
func (c *Call) Wire() unit.Bytes { return c.Op.Wire(c.Bytes, c.Span.Size) }
