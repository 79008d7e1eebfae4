package replay

import (
	"planner/costmodel/collective"
)

// Program is the step of one layout as ranks run it. Rank r is of pipeline
// rank r/Inner.
type Program struct {
	Inner  int        `json:"inner"` // ranks of one pipeline rank, TP·CP·DP
	Calls  []CallSpec `json:"calls"`
	Stages [][]Action `json:"stages"`          // by pipeline rank
	Slots  int        `json:"slots"`           // starts that may be waited for
	Mixes  []Mix      `json:"mixes,omitempty"` // by pipeline rank: what delays stand for
}

// CallSpec is a collective call as ranks make it: Size ranks, Stride apart,
// the message Bytes as collective.Call defines it.
type CallSpec struct {
	Op        collective.Op        `json:"op"`
	DType     collective.DType     `json:"dtype"`
	Algorithm collective.Algorithm `json:"algorithm"`
	Axis      collective.Axis      `json:"axis"`
	Bytes     int64                `json:"bytes"`
	Stride    int                  `json:"stride"`
	Size      int                  `json:"size"`
}

// SpecOf returns what ranks need of a call of a plan.
func SpecOf(c *collective.Call) CallSpec {
	return CallSpec{c.Op, c.DType, c.Algorithm, c.Axis, int64(c.Bytes), c.Span.Stride, c.Span.Size}
}

// ActionKind is what an Action does.
type ActionKind uint8

// The kinds of actions.
const (
	Delay ActionKind = iota // compute for Seconds
	Start                   // begin call Row on its stream; Slot ends with it
	Wait                    // wait for Slot
)

// Action is one thing that a rank does.
type Action struct {
	Kind    ActionKind `json:"kind"`
	Dir     uint8      `json:"dir,omitempty"` // of a hop: 0 forward, 1 backward
	Row     int32      `json:"row,omitempty"` // of Program.Calls
	Slot    int32      `json:"slot,omitempty"`
	Peer    int32      `json:"peer,omitempty"` // of a hop: the pipeline rank at the other end; −1: a collective
	Seconds float64    `json:"seconds,omitempty"`
}

// Program returns the plan's program.
func (p *Plan) Program() *Program {
	out := &Program{Inner: p.Inner(), Stages: p.Stages, Slots: p.slots, Mixes: p.Mixes}
	for i := range p.Calls {
		out.Calls = append(out.Calls, SpecOf(&p.Calls[i]))
	}
	return out
}
