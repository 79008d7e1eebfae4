package strategies

import (
	"planner/costmodel/collective"
	"planner/hardware/unit"
)

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
	micro := hide(cost.micro, cost.microLast, s.time().Bwd, s.sharing(cost).Bwd, x.run.waitedShare())
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
