package strategies

import (
	"planner/costmodel/collective"
	"planner/hardware"
	"planner/hardware/unit"
)

// Explanation is an estimate with everything it was added up from.
type Explanation struct {
	Estimate
	MicroBatches int
	Cluster      *hardware.Cluster
	Calls        []collective.Call // of one rank of every pipeline stage
	Stages       []StageMemory     // memory of one rank of every pipeline stage
	Layers       []int             // layers of every pipeline stage
	Groups       []Group
	Held         []float64 // parameters of one rank of every stage, before ZeRO, in elements

	// Of the fullest stage: the products its state adds up from, what one
	// micro-batch in flight keeps, and how many are in flight at most.
	State    []StateTerm
	Kept     unit.Bytes
	InFlight float64

	Host Overhead // the parts of Overhead
}

// InFlight returns the micro-batches whose activations pipeline rank i holds at
// once, of m in a step; with virtual stages not a whole number.
func (l *Layout) InFlight(i int, m float64) float64 { return inFlight(l, i, m) }

// StageMemory is what one rank of a pipeline stage holds.
type StageMemory struct {
	Stage int
	Memory
}

// Group is one kind of communication group and where its ranks sit.
type Group struct {
	Dims collective.Dims
	Span hardware.Span
}

// Explain predicts a legal layout and lists the calls, the memory and the
// groups behind the prediction. It expands the same blocks that Estimate adds
// up, so on the slowest stage the exposed times of the calls sum to the
// estimate's.
func (p *Problem) Explain(l Layout, prof *Profile) *Explanation {
	s := newSite(p, prof, l)
	c := p.chainOf(&l, prof)
	layers, state := s.hopped(c, true), s.stateSet(c, &slabs{})
	r := run{p: p, prof: prof, fit: s.fit, l: &l, chain: c, layers: layers, state: state}
	x := &Explanation{Estimate: r.estimate(), MicroBatches: int(r.m), Cluster: p.Cluster, Groups: s.groupList()}
	ex := expander{site: s, run: &r, set: layers, slow: x.Slowest, ends: x.Exposed[collective.AxisDP]}
	for i := range c.stages {
		st := &c.stages[i]
		if st.index == x.Fullest {
			x.State, x.Kept, x.InFlight = s.stateTerms(&state.held[i]), r.stages[i].keep, inFlight(&l, st.index, r.m)
		}
		if st.index == x.Slowest && !p.Work.LayersOnly {
			x.Host = ex.overhead(&x.Estimate, i)
		}
		calls := ex.stage(i)
		for k := range st.ranks {
			rank := st.index + k
			for _, call := range calls {
				call.Stage = rank
				x.Calls = append(x.Calls, call)
			}
			x.Stages = append(x.Stages, StageMemory{rank, r.stageMemory(i, rank)})
			x.Layers = append(x.Layers, st.total)
			x.Held = append(x.Held, state.held[i].dense+state.held[i].expert)
		}
	}
	return x
}

// groupList returns the groups in use, innermost first.
func (s *site) groupList() []Group {
	data := collective.DP
	if s.l.CP > 1 {
		data |= collective.CP
	}
	var out []Group
	for _, g := range []Group{
		{collective.TP, s.tp}, {collective.CP, s.cp}, {collective.ETP, s.etp}, {collective.EP, s.ep},
		{data, s.data}, {collective.EDP, s.edp}, {collective.PP, s.p.Cluster.Span(s.l.TP*s.l.CP*s.l.DP, s.l.PP)},
	} {
		expert := g.Dims == collective.ETP || g.Dims == collective.EP || g.Dims == collective.EDP
		if g.Span.Size > 1 && (!expert || moe(s.p.Model)) {
			out = append(out, g)
		}
	}
	return out
}

// expander turns the blocks of a run into the calls of one step.
type expander struct {
	*site
	run  *run
	set  *layerSet
	slow int
	ends unit.Seconds // exposed DP time of the slowest stage
}

// stage returns the calls of one rank of stage i of the chain.
func (x *expander) stage(i int) []collective.Call {
	st := &x.run.chain.stages[i]
	var out calls
	for k, n := range st.kinds {
		part := 0.0
		if x.set.full != nil {
			part = min(1, float64(x.l.FullLayers)/float64(st.total))
			out.add(x.set.full[k].calls, float64(n)*part*x.run.m)
		}
		out.add(x.set.kinds[k].calls, float64(n)*(1-part)*x.run.m)
	}
	if st.embed {
		out.add(x.set.embed.calls, x.run.m)
	}
	if st.head {
		out.add(x.set.head.calls, x.run.m)
	}
	t := tally{fabric: x.p.Fabric, keep: true, times: 1}
	x.pipelineHops(&t, x.run.chain, st)
	out.add(t.calls, x.run.m)
	x.stateCallsOf(&out, i)
	t = tally{fabric: x.p.Fabric, keep: true, times: 1}
	x.stepCalls(&t, st, &x.run.state.held[i])
	out.add(t.calls, 1)
	out.settle()
	x.correct(out)
	return out
}

// stateCallsOf adds the calls on gradients and parameters and shares out what
// stays exposed of each class over its calls.
func (x *expander) stateCallsOf(out *calls, i int) {
	st, s, cost := &x.run.chain.stages[i], &x.run.stages[i], &x.run.state.cost[i]
	t := stateTally{tally: tally{fabric: x.p.Fabric, keep: true}}
	x.stateCalls(&t, &x.run.state.held[i], st.embed)
	tail, lead := s.tail, s.lead
	if st.index <= x.slow && x.slow < st.index+st.ranks {
		tail, lead = x.run.ends()
	}
	m := x.run.m
	fwd, bwd := x.run.gathering(st.index)
	phi := x.run.fit.DPExposed
	micro := hide(cost.micro, cost.microLast, s.time().Bwd, s.sharing(cost).Bwd, phi)
	for j, c := range t.calls {
		switch t.classes[j] {
		case classGrad:
			c.Exposed = share(tail, c.Total(), cost.grad)
		case classGather:
			c.Exposed = share(lead, c.Total(), cost.gather)
		case classMicro:
			c.Exposed = share(micro, c.Total(), cost.micro).Times(m)
			c.Count *= m
		case classFwd:
			c.Exposed = share(s.data.Fwd, c.Total(), cost.fwd).Times(m)
			c.Count *= m * fwd
		case classBwd:
			c.Exposed = share(s.data.Bwd-micro, c.Total(), cost.bwd).Times(m)
			c.Count *= m * bwd
		}
		*out = append(*out, c)
	}
}

// share returns the part of an exposed time that one call of a class takes.
func share(exposed, call, class unit.Seconds) unit.Seconds {
	if class == 0 {
		return 0
	}
	return exposed.Times(float64(call / class))
}

// correct applies the pace of the step, and to calls alone the calibration
// factor of the cluster.
func (x *expander) correct(out calls) {
	k := x.p.Correction
	if k <= 0 {
		k = 1
	}
	for i := range out {
		out[i].Seconds = out[i].Seconds.Times(k)
		out[i].Latency = out[i].Latency.Times(k)
		out[i].Exposed = out[i].Exposed.Times(x.run.pace)
	}
}

// settle lengthens calls that take longer in a step than alone. A fitted share
// above one says so: other work disturbs the call, or its link is slower than
// its nominal rate.
func (c calls) settle() {
	for i := range c {
		if c[i].Exposed > c[i].Total() {
			c[i].Seconds = c[i].Exposed.Times(1 / c[i].Count)
		}
	}
}

// calls collects rows; the same call issued by several kinds of layer is one.
type calls []collective.Call

func (c *calls) add(from []collective.Call, times float64) {
	if times == 0 {
		return
	}
next:
	for _, x := range from {
		x.Count *= times
		x.Exposed = x.Exposed.Times(times)
		for i := range *c {
			y := &(*c)[i]
			if y.Op == x.Op && y.Purpose == x.Purpose && y.Phase == x.Phase && y.Bytes == x.Bytes && y.Span == x.Span && y.DType == x.DType {
				y.Count += x.Count
				y.Exposed += x.Exposed
				continue next
			}
		}
		*c = append(*c, x)
	}
}
