package show

import (
	"strconv"

	"planner/costmodel/collective"
	"planner/hardware"
	"planner/internal/ask"
	"planner/internal/catalog"
	"planner/strategies"
)

// Explanation is the document of `explain`.
type Explanation struct {
	Head
	Layout    Layout         `json:"layout"`
	Calls     []Call         `json:"calls"`
	Memory    []MemoryPart   `json:"memory"`
	Step      []StepPart     `json:"step"`
	Groups    []GroupDoc     `json:"groups"`
	Diagnosis []DiagnosisDoc `json:"diagnosis"`
	Notes     []string       `json:"notes"`
}

// Call is one row of the call table: one rank of a stage in one step.
type Call struct {
	Op        string   `json:"op"`
	Purpose   string   `json:"purpose"`
	Phase     string   `json:"phase"`
	Dims      []string `json:"dims"`
	GroupSize int      `json:"group_size"`
	Nodes     int      `json:"nodes"`
	Tier      string   `json:"tier"`
	DType     string   `json:"dtype"`
	Bytes     float64  `json:"bytes"`
	WireBytes float64  `json:"wire_bytes"`
	LinkBytes float64  `json:"link_bytes"`
	Count     float64  `json:"count"`
	Stage     int      `json:"stage"`
	Overlaps  string   `json:"overlaps_with"`
	Algorithm string   `json:"algorithm"`
	Seconds   float64  `json:"seconds"`
	Exposed   float64  `json:"exposed_seconds"`
	FittedBy  string   `json:"fitted_by,omitempty"`    // constant that says which share stays exposed
	Fitted    float64  `json:"fitted_share,omitempty"` // its value

	fitted fitted
}

// MemoryPart is one component of the memory of one rank of a stage.
type MemoryPart struct {
	Component string  `json:"component"`
	Stage     int     `json:"stage"`
	Bytes     float64 `json:"bytes"`
}

// StepPart is one term of the step.
type StepPart struct {
	Component string  `json:"component"`
	Seconds   float64 `json:"seconds"`
}

// GroupDoc is one kind of group and where its ranks sit.
type GroupDoc struct {
	Dims      []string `json:"dims"`
	Size      int      `json:"size"`
	Stride    int      `json:"stride"`
	Nodes     int      `json:"nodes"`
	PerDomain int      `json:"ranks_per_domain"`
	Tier      string   `json:"tier"`
}

// DiagnosisDoc is one primitive over the threshold.
type DiagnosisDoc struct {
	Op     string   `json:"op"`
	Axis   string   `json:"axis"`
	Share  float64  `json:"share"`
	Cause  string   `json:"cause"`
	Knob   string   `json:"knob"`
	Remedy []Layout `json:"remedy"`
}

// NewExplanation describes one layout in full.
func NewExplanation(a *ask.Answer, x *strategies.Explanation) Explanation {
	p := a.Problem
	d := Explanation{Head: NewHead(a), Layout: NewLayout(p, &x.Estimate, 1, 1), Calls: []Call{}, Memory: memoryParts(x),
		Step: StepParts(&x.Estimate), Groups: []GroupDoc{}, Diagnosis: []DiagnosisDoc{}, Notes: append(notes(a), ExplainWarnings(a, x)...)}
	for i := range x.Calls {
		d.Calls = append(d.Calls, newCall(x, &x.Calls[i]))
	}
	for _, g := range x.Groups {
		d.Groups = append(d.Groups, GroupDoc{g.Dims.Names(), g.Span.Size, g.Span.Stride, nodesOf(p.Cluster, &g.Span), g.Span.PerDomain, tierOf(p.Cluster, &g.Span)})
	}
	found, _, _ := p.Diagnose(x)
	for _, f := range found {
		doc := DiagnosisDoc{f.Op.String(), f.Axis.String(), f.Share, f.Cause, f.Knob, []Layout{}}
		for i := range f.Remedy {
			doc.Remedy = append(doc.Remedy, NewLayout(p, &f.Remedy[i], i+1, i+1))
		}
		d.Diagnosis = append(d.Diagnosis, doc)
	}
	return d
}

func newCall(of *strategies.Explanation, x *collective.Call) Call {
	c := of.Cluster
	share := fittedOf(of, x)
	return Call{
		Op: x.Op.String(), Purpose: x.Purpose, Phase: x.Phase.String(), Dims: x.Dims.Names(), GroupSize: x.Span.Size,
		Nodes: nodesOf(c, &x.Span), Tier: tierOf(c, &x.Span), DType: x.DType.String(),
		Bytes: float64(x.Bytes), WireBytes: float64(x.Wire()), LinkBytes: float64(x.LinkBytes), Count: x.Count, Stage: x.Stage,
		Overlaps: x.Overlaps, Algorithm: x.Algorithm.String(), Seconds: float64(x.Total()), Exposed: float64(x.Exposed),
		FittedBy: share.Name, Fitted: share.Value, fitted: share,
	}
}

// nodesOf returns the hosts that a group touches.
func nodesOf(c *hardware.Cluster, s *hardware.Span) int { return c.NodesOf(*s) }

// tierOf names the slowest link that a group crosses.
func tierOf(c *hardware.Cluster, s *hardware.Span) string { return string(c.Tiers[s.Tier].Kind) }

func memoryParts(x *strategies.Explanation) []MemoryPart {
	var out []MemoryPart
	for _, s := range x.Stages {
		for _, part := range Components(&s.Memory) {
			out = append(out, MemoryPart{part.Name, s.Stage, float64(part.Bytes)})
		}
	}
	return out
}

// StepParts returns the terms of a step in the order of the contract.
func StepParts(e *strategies.Estimate) []StepPart {
	parts := []StepPart{{"compute", float64(e.Compute)}, {"bubble", float64(e.Bubble)}}
	for _, axis := range collective.Axes() {
		parts = append(parts, StepPart{"exposed_" + axis.String(), float64(e.Exposed[axis])})
	}
	return append(parts, StepPart{"optimizer", float64(e.Optimizer)}, StepPart{"overhead", float64(e.Overhead)})
}

// CallsOf returns the rows of a stage: "slowest", "all", or a number.
func CallsOf(x *strategies.Explanation, stage string) ([]Call, error) {
	want := x.Slowest
	switch stage {
	case "slowest":
	case "all":
		want = -1
	default:
		n, err := strconv.Atoi(stage)
		if err != nil || n < 0 || n >= x.Layout.PP {
			return nil, catalog.Errorf("--stage %q: no such stage: want slowest, all, or 0 to %d", stage, x.Layout.PP-1)
		}
		want = n
	}
	var out []Call
	for i := range x.Calls {
		if want < 0 || x.Calls[i].Stage == want {
			out = append(out, newCall(x, &x.Calls[i]))
		}
	}
	return out, nil
}
