package strategies

import (
	"planner/costmodel"
	"planner/costmodel/collective"
	"planner/hardware/unit"
)

// run adds up the blocks of one layout into an estimate.
type run struct {
	p      *Problem
	prof   *Profile
	fit    *ProfileFit
	l      *Layout
	chain  *chain
	layers *layerSet
	state  *stateSet

	m      float64 // micro-batches
	pace   float64 // of every time: clocks that rise with idle time, and the cluster's correction
	stages []stageRun
	times  []costmodel.StageTime
}

// stageRun is one stage of the chain for one micro-batch.
type stageRun struct {
	block                // layers, ends and hops
	data  costmodel.Pass // exposed layer-wise and per-micro-batch state calls
	tail  unit.Seconds   // gradient calls left after the last backward pass
	lead  unit.Seconds   // parameter calls left before the first forward pass
	batch unit.Seconds   // host time of a micro-batch
	peak  unit.Bytes     // what the backward pass of a layer holds beyond what it keeps
}

func (r *run) estimate() Estimate {
	r.m = float64(r.p.Work.GlobalBatch / (r.l.DP * r.l.MBS))
	for i := range r.chain.stages {
		r.addStage(i)
	}
	e := Estimate{Layout: *r.l, Framework: r.prof}
	r.pace = 1
	r.time(&e)
	most := r.memory(&e)
	e.Retries = r.retry(most).Times(r.m)
	e.Recomputed = r.recomputed()
	if r.p.Correction > 0 {
		r.pace *= r.p.Correction
	}
	e.scale(r.pace)
	e.Low, e.High = e.Step, e.Step
	return e
}

func (r *run) recomputed() float64 {
	switch {
	case r.l.Recompute != RecomputeFull:
		return 0
	case r.l.FullLayers == 0:
		return 1
	}
	again := 0
	for i := range r.chain.stages {
		again += r.chain.stages[i].ranks * min(r.l.FullLayers, r.chain.stages[i].total)
	}
	return float64(again) / float64(r.p.Model.Layers())
}

// addStage takes the summed blocks of stage i and exposes its state calls.
func (r *run) addStage(i int) {
	st, s := &r.chain.stages[i], r.layers.sums[i]
	r.exposeState(&s, &r.state.cost[i], st.index)
	if r.l.Offload != OffloadNone {
		s.batch += r.copied(i, &s)
	}
	r.stages = append(r.stages, s)
	if r.fit.Retry > 0 {
		m := r.stageMemory(i, st.index)
		s.batch += r.retry(m.Total())
		r.stages[i] = s
	}
	t := s.time().Plus(s.data)
	x := costmodel.StageTime{Fwd: t.Fwd + s.batch.Times(0.5), Bwd: t.Bwd + s.batch.Times(0.5), Weight: s.weight, Ranks: st.ranks}
	if st.head && !r.p.Work.LayersOnly {
		x.Head = r.layers.head.time()
		if r.l.VPP > 1 && !r.p.Work.Forward { // its gradients come from nowhere
			x.Head.Bwd -= r.layers.hops[st.after].wait
		}
	}
	r.times = append(r.times, x)
}

// time fills the times of the estimate.
func (r *run) time(e *Estimate) {
	total := costmodel.PipelineTime(r.l.Schedule, r.times, r.m, float64(r.l.VPP))
	slow := 0
	for i := range r.times {
		if r.times[i].Fwd+r.times[i].Bwd > r.times[slow].Fwd+r.times[slow].Bwd {
			slow = i
		}
	}
	if r.p.Work.LayersOnly {
		e.Step = total
		r.layersOnly(e, slow)
		return
	}
	idle := total - (r.times[slow].Fwd + r.times[slow].Bwd).Times(r.m)
	tail, lead := r.ends()
	tiny, opt := r.onceAStep()
	total += tail + lead + tiny + opt + r.fit.HostStep
	r.pace = 1 - r.p.Cluster.GPU.Fit.Boost*float64(idle/total)
	straggle := total.Times(r.fit.straggle(r.p.Cluster.GPUs))
	e.Step = total + straggle
	r.split(e, slow, tail+lead, straggle)
}

// ends returns how much the gradient calls after the last backward pass and
// the parameter calls before the first forward pass lengthen the step. Stage i
// has finished its last backward pass while the earlier stages still drain, and
// starts its first forward pass while they fill.
func (r *run) ends() (tail, lead unit.Seconds) {
	var drained, filled unit.Seconds
	v := 1 / float64(r.l.VPP)
	for i := range r.stages {
		t := &r.times[i]
		n := v * float64(t.Ranks)
		tail = max(tail, r.stages[i].tail-max(0, drained-r.putOff(i)))
		lead = max(lead, r.stages[i].lead-filled)
		drained += r.inputGradient(t).Times(n)
		filled += t.Fwd.Times(n)
	}
	return tail, lead
}

// inputGradient returns the part of a backward pass that the stage before waits
// for: zb-h1 runs the weight gradients apart.
func (r *run) inputGradient(t *costmodel.StageTime) unit.Seconds {
	if r.l.Schedule == ZBH1 {
		return t.Bwd - t.Weight
	}
	return t.Bwd
}

// putOff returns how much longer the weight gradients take that stage i runs after
// its last input gradient under zb-h1 than those of the first stage: of a
// micro-batch for itself and for each stage before it (Qi et al. 2024, arXiv
// 2401.10241, figure 3).
func (r *run) putOff(i int) unit.Seconds {
	if r.l.Schedule != ZBH1 {
		return 0
	}
	left := min(r.m, float64(r.chain.stages[i].index+1))
	return r.times[i].Weight.Times(left) - r.times[0].Weight
}

// onceAStep returns the longest small calls and the longest optimizer step of
// any stage: the gradient norm joins the stages before, the next step after.
func (r *run) onceAStep() (tiny, opt unit.Seconds) {
	for i := range r.state.tiny {
		var t unit.Seconds
		for _, x := range r.state.tiny[i] {
			t += x
		}
		tiny, opt = max(tiny, t), max(opt, r.state.step[i])
	}
	return tiny, opt
}

// layersOnly books the layers' forward and backward passes alone.
func (r *run) layersOnly(e *Estimate, slow int) {
	s := &r.stages[slow]
	e.Compute = (s.compute.Fwd + s.compute.Bwd).Times(r.m)
	e.Streamed = (s.stream.Fwd + s.stream.Bwd).Times(r.m)
	for a := range e.Exposed {
		e.Exposed[a] = (s.axes[a].Fwd + s.axes[a].Bwd).Times(r.m)
	}
	e.Overhead = e.Step - e.Compute - e.ExposedTotal()
}

// split books the step on the slowest stage; what it does not do itself is its
// bubble.
func (r *run) split(e *Estimate, slow int, dataEnds, straggle unit.Seconds) {
	s := &r.stages[slow]
	e.Slowest = r.chain.stages[slow].index
	e.Compute = (s.compute.Fwd + s.compute.Bwd).Times(r.m)
	e.Streamed = (s.stream.Fwd + s.stream.Bwd).Times(r.m)
	for a := range e.Exposed {
		e.Exposed[a] = (s.axes[a].Fwd + s.axes[a].Bwd).Times(r.m) + r.state.tiny[slow][a]
	}
	e.Exposed[collective.AxisDP] += (s.data.Fwd + s.data.Bwd).Times(r.m) + dataEnds
	e.Optimizer = r.state.step[slow]
	e.Overhead = (s.host.Fwd + s.host.Bwd + s.batch).Times(r.m) + r.fit.HostStep + straggle
	e.Bubble = e.Step - e.Compute - e.ExposedTotal() - e.Optimizer - e.Overhead
	if e.Bubble < 1e-12*e.Step { // rounding
		e.Compute += e.Bubble
		e.Bubble = 0
	}
}

// scale multiplies every time by one factor.
func (e *Estimate) scale(c float64) {
	for _, t := range []*unit.Seconds{&e.Step, &e.Compute, &e.Streamed, &e.Bubble, &e.Optimizer, &e.Overhead, &e.Retries} {
		*t = t.Times(c)
	}
	for a := range e.Exposed {
		e.Exposed[a] = e.Exposed[a].Times(c)
	}
}
