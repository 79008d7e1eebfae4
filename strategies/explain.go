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
