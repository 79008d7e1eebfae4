package replay

import (
	"strings"

	"planner/costmodel/collective"
	"planner/costmodel/timeline"
	"planner/hardware/unit"
	"planner/strategies"
)

// Plan is the step of one layout as programs, one for each pipeline rank.
type Plan struct {
	Layout   strategies.Layout
	Estimate strategies.Estimate
	// Calls lists the rows of the plan's explanation; those of pipeline rank s
	// have Stage s.
	Calls  []collective.Call
	Stages [][]Action
	// Compute is the length of the delays of each pipeline rank.
	Compute []unit.Seconds
	// Mixes says what the delays of each pipeline rank stand for.
	Mixes []Mix
	slots int
	// between says that a pass gathers layers only where no backward pass has
	// left them gathered.
	between bool
}

// Inner returns the ranks of one pipeline rank, TP·CP·DP.
func (p *Plan) Inner() int { return p.Layout.TP * p.Layout.CP * p.Layout.DP }

// Build expands a legal layout into programs. Durations of passes are those of
// the plan's timeline, calls those of its explanation.
func Build(p *strategies.Problem, l strategies.Layout, prof *strategies.Profile) *Plan {
	x := p.Explain(l, prof)
	plan := &Plan{Layout: l, Estimate: x.Estimate, Calls: x.Calls, between: strategies.GathersBetween(&l, prof)}
	walk := p.Timeline(l, prof)
	compute := passesOf(walk)
	var once []float64
	for s := range l.PP {
		b := &stageBuilder{plan: plan, stage: s, micro: x.MicroBatches, layers: x.Layers[s], compute: compute}
		b.rows = b.sort(prof)
		b.build()
		plan.Stages = append(plan.Stages, b.out)
		plan.Compute = append(plan.Compute, b.computed)
		once = append(once, float64(compute[passKey{int32(s), -1, -1, timeline.Once}]))
	}
	plan.Mixes = mixesOf(p, plan, prof, x.MicroBatches, once)
	plan.hostTime(walk)
	return plan
}

// passKey names a pass of a pipeline rank; micro and chunk are −1 after the
// passes.
type passKey struct {
	rank, micro, chunk int32
	kind               timeline.Kind
}

// passesOf returns how long the passes of a timeline compute.
func passesOf(t *timeline.Timeline) map[passKey]unit.Seconds {
	out := map[passKey]unit.Seconds{}
	for i := range t.Tasks {
		if x := &t.Tasks[i]; x.Stream == timeline.Compute {
			out[passKey{x.Rank, x.Micro, x.Chunk, x.Kind}] += x.Dur
		}
	}
	return out
}

// rowSet is the calls of a stage by the way they are issued.
type rowSet struct {
	inline [2][]int32 // forward, backward: the rank waits for each
	aside  [2][]int32 // beside the pass that issues them
	gather [2][]int32 // parameters of the next unit, one unit ahead
	scatter,
	micro, grads []int32 // gradients: per unit, every backward pass, the last one
	lead       []int32 // parameters, before the first forward pass
	late       []int32 // gradients, after the last backward pass
	once       []int32 // after all passes
	send, recv [2]int32
}

// sort divides the rows of the stage.
func (b *stageBuilder) sort(prof *strategies.Profile) rowSet {
	r := rowSet{send: [2]int32{-1, -1}, recv: [2]int32{-1, -1}}
	everyMicro := prof.SumsEveryBatch(&b.plan.Layout)
	for i := range b.plan.Calls {
		if c := &b.plan.Calls[i]; c.Stage == b.stage && c.Phase.InStep() {
			r.put(c, int32(i), everyMicro)
		}
	}
	return r
}

func (r *rowSet) put(c *collective.Call, i int32, everyMicro bool) {
	dir := 0
	if c.Phase == collective.Backward {
		dir = 1
	}
	switch layerWise := strings.HasSuffix(c.Overlaps, "of the layer before"); {
	case c.Phase == collective.Optimizer && c.Axis == collective.AxisDP && c.Op == collective.AllGather:
		r.lead = append(r.lead, i)
	case c.Phase == collective.Optimizer:
		r.once = append(r.once, i)
	case c.Op == collective.Send && c.Axis == collective.AxisPP:
		r.send[dir] = i
	case c.Op == collective.Recv && c.Axis == collective.AxisPP:
		r.recv[dir] = i
	case c.Op == collective.Recv: // of a shift, which its Send stands for
	case layerWise && c.Op == collective.AllGather:
		r.gather[dir] = append(r.gather[dir], i)
	case layerWise:
		r.scatter = append(r.scatter, i)
	case c.Axis == collective.AxisDP && c.Overlaps == "":
		r.late = append(r.late, i)
	case c.Axis == collective.AxisDP && everyMicro && c.Count > 1:
		r.micro = append(r.micro, i)
	case c.Axis == collective.AxisDP:
		r.grads = append(r.grads, i)
	case c.Exposed == 0:
		r.aside[dir] = append(r.aside[dir], i)
	default:
		r.inline[dir] = append(r.inline[dir], i)
	}
}
