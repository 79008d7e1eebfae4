package strategies

import (
	"planner/costmodel/collective"
	"planner/hardware"
	"planner/hardware/unit"
)

// held is what one rank of a stage holds of the parameters, in elements.
type held struct {
	dense, expert float64 // after TP, or after EP and ETP
	replicated    float64 // the part of dense that every TP rank holds whole
	layers        float64
	layer         float64    // the largest layer, dense and expert parts together
	root          float64    // embedding, head and final norm
	head          float64    // of these the head and the final norm
	shapes        float64    // of the distinct weight matrices
	copies        hostCopies // of a micro-batch, where state is offloaded
}

// stateCost is the time of the calls that move gradients and parameters of one
// rank, by what can hide them.
type stateCost struct {
	grad, gradLast     unit.Seconds // per step, hidden by the last backward; its last bucket
	gather, gatherLast unit.Seconds // per step, hidden by the next forward
	micro, microLast   unit.Seconds // per micro-batch, hidden by its backward
	fwd, bwd           unit.Seconds // per micro-batch and layer-wise: gathers, scatters
	fwdOne, bwdOne     unit.Seconds // of one layer: what nothing precedes
	net                unit.Seconds // the part of all that crosses the network
}

// stateClass tells a kept call which term of stateCost it belongs to.
type stateClass uint8

const (
	classGrad stateClass = iota
	classGather
	classMicro
	classFwd
	classBwd
	classOnce // per step, always exposed or outside the step
)

// stateTally collects the calls of the state.
type stateTally struct {
	tally
	cost    stateCost
	classes []stateClass
}

func (t *stateTally) add(c collective.Call, class stateClass) {
	if c.Span.Size < 2 || c.Bytes <= 0 || c.Count <= 0 || class == classOnce && !t.keep {
		return
	}
	c.Price = t.fabric.Time(c.Op, c.Bytes, c.Span)
	total := c.Total()
	if class != classOnce && linkOf(&c.Span) == network {
		t.cost.net += total
	}
	switch class {
	case classGrad:
		t.cost.grad += total
		t.cost.gradLast = c.Seconds
	case classGather:
		t.cost.gather += total
		t.cost.gatherLast = c.Seconds
	case classMicro:
		t.cost.micro += total
		t.cost.microLast = c.Seconds
	case classFwd:
		t.cost.fwd += total
		t.cost.fwdOne = max(t.cost.fwdOne, c.Seconds)
	case classBwd:
		t.cost.bwd += total
		t.cost.bwdOne = max(t.cost.bwdOne, c.Seconds)
	}
	if t.keep {
		c.Stage = t.stage
		t.calls = append(t.calls, c)
		t.classes = append(t.classes, class)
	}
}

// group is one set of parameters with the ranks that hold copies of it.
type group struct {
	params         float64 // elements on this rank
	root           float64 // the part of them in the embedding and the head
	head           float64 // of these the head's and the final norm's
	all            hardware.Span
	shard, replica hardware.Span
	dims           collective.Dims
	what           string // prefix of purposes: "" or "expert "
}

// groups returns the dense and the expert parameters of a rank.
func (s *site) groups(h *held) [2]group {
	return [2]group{
		{h.dense, h.root, h.head, s.data, s.shard, s.replica, s.dataDims(), ""},
		{h.expert, 0, 0, s.edp, s.eshard, s.ereplica, collective.EDP, "expert "},
	}
}

// stateCalls issues every call that moves gradients or parameters of one rank
// in one step, as the ZeRO stage and the framework make them.
func (s *site) stateCalls(t *stateTally, h *held, first bool) {
	for _, g := range s.groups(h) {
		if g.params == 0 {
			continue
		}
		if s.prof.Comm.InitBroadcast {
			s.initialBroadcast(t, &g)
		}
		switch {
		case s.p.Work.Forward:
			if s.l.Zero == 3 {
				s.zero3Forward(t, h, &g)
			}
		case s.layerWise():
			s.zero3(t, h, &g)
		case s.l.Zero == 2:
			s.zero2(t, &g, first)
		case s.l.Zero == 1:
			s.zero1(t, &g, first)
		default:
			s.dataParallel(t, &g, first)
		}
		if s.l.Zero > 0 && !s.p.Work.Forward {
			s.checkpointGather(t, &g)
		}
	}
}

// layerWise reports whether parameters are gathered layer by layer.
func (s *site) layerWise() bool { return s.prof.gathersLayers(s.l.Zero) }

// initialBroadcast copies the parameters from rank 0 once per job.
func (s *site) initialBroadcast(t *stateTally, g *group) {
	t.add(collective.Call{Op: collective.Broadcast, Purpose: t.label(g.what, "initial parameters"), Phase: collective.Init,
		Dims: g.dims, Axis: collective.AxisDP, Span: g.all, DType: s.model, Bytes: bytesOf(g.params, s.model), Count: 1}, classOnce)
}

// checkpointGather brings master weights and moments, which trained parameters
// alone have, of a shard group to its rank 0 when a checkpoint is written whole
// (Megatron-LM distrib_optimizer.py:1378-1500, dp_zero_gather_scatter).
func (s *site) checkpointGather(t *stateTally, g *group) {
	_, master := s.weightBytes()
	t.add(collective.Call{Op: collective.Gather, Purpose: t.label(g.what, "optimizer state to one rank"), Phase: collective.Checkpoint,
		Dims: g.dims, Axis: collective.AxisDP, Span: g.shard, DType: collective.FP32,
		Bytes: unit.Bytes(g.params * s.p.Work.Trained() * (master + s.momentBytes())), Count: 1}, classOnce)
}
