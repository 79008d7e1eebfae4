package strategies

import (
	"math"

	"planner/costmodel"
	"planner/costmodel/collective"
	"planner/hardware"
)

// ZeRO-3 (Rajbhandari et al. 2020, section 5.3) and FSDP (Zhao et al. 2023,
// section 3) split the parameters too: every micro-batch gathers each layer
// before its forward pass, again before its backward pass when it was freed in
// between, and scatters its reduced gradient. DeepSpeed never splits tensors
// below param_persistence_threshold (regather.go and prefetch.go have what it
// gathers again and how much in one call).
// Under a pipeline PyTorch keeps gradients whole between the micro-batches and
// scatters them once a step, and parameters from a backward pass on
// (pipelining/stage.py, backward_maybe_with_nosync): stage 2 gathers once a
// step, stage 3, which frees them after each forward pass, before each pass
// that does not follow a backward one.

// scattersOnce reports that gradients are scattered once a step.
func (s *site) scattersOnce() bool { return s.l.PP > 1 }

// gathersOnce reports that layers are gathered once a step.
func (s *site) gathersOnce() bool { return s.l.PP > 1 && s.l.Zero == 2 && !s.p.Work.Forward }

func (s *site) zero3(t *stateTally, h *held, g *group) {
	layers, roots := s.eachLayer(h, g), s.roots(g)
	again := s.gathersAgain(&layers, &roots)
	back := g.shard
	if s.l.HPZ > 0 {
		back = s.hpz
	}
	s.gatherLayers(t, g, &layers, collective.Forward, 1, g.shard)
	s.gatherLayers(t, g, &layers, collective.Backward, again[0], back)
	s.scatterLayers(t, g, &layers)
	for i := range roots {
		s.gatherLayers(t, g, &roots[i], collective.Forward, 1, g.shard)
		s.gatherRootAgain(t, g, roots[i], again[1+i], back)
		s.scatterLayers(t, g, &roots[i])
	}
	s.persistent(t, h, g)
}

// gatherRootAgain gathers a share of the embedding or the head.
func (s *site) gatherRootAgain(t *stateTally, g *group, of gathered, share float64, span hardware.Span) {
	of.params *= share
	if share < 1 { // the final norm, which is never split, is with what was kept
		of.params += of.whole
	}
	s.gatherLayers(t, g, &of, collective.Backward, math.Ceil(share), span)
}

// zero3Forward is a forward-only pass: one gather a layer (ZeRO-Inference).
func (s *site) zero3Forward(t *stateTally, h *held, g *group) {
	layers, roots := s.eachLayer(h, g), s.roots(g)
	s.gatherLayers(t, g, &layers, collective.Forward, 1, g.shard)
	for i := range roots {
		s.gatherLayers(t, g, &roots[i], collective.Forward, 1, g.shard)
	}
}

// freesLayers reports that parameters are freed after their forward pass.
func (s *site) freesLayers() bool { return s.l.Zero == 3 && s.prof.Comm.Reshard }

func (s *site) gatherLayers(t *stateTally, g *group, of *gathered, phase collective.Phase, times float64, span hardware.Span) {
	if of.count == 0 || times == 0 {
		return
	}
	class := classFwd
	switch {
	case s.gathersOnce():
		class = classGather
	case phase == collective.Backward:
		class = classBwd
	}
	split := max(0, of.params/of.count-of.whole) * of.count / of.calls
	t.add(collective.Call{Op: collective.AllGather, Purpose: t.label(g.what, t.label(of.name, "parameters")), Phase: phase, Dims: g.dims,
		Axis: collective.AxisDP, Span: span, DType: s.model, Bytes: bytesOf(split, s.model), Count: math.Ceil(of.calls*times - 1e-9),
		Overlaps: "computation of the layer before"}, class)
}

// gathered is what a call moves at once: one of so many layers, or a root, the
// embedding or the head.
type gathered struct {
	name   string
	count  float64
	calls  float64 // that gather all of them
	params float64 // elements of all of them
	whole  float64 // of these, in one call, the elements that are never split
}

func (s *site) eachLayer(h *held, g *group) gathered {
	of := gathered{name: "layer ", count: h.layers, calls: h.layers, params: g.params - g.root}
	if g.dims != collective.EDP {
		of.calls *= s.prof.GathersPerLayer(s.p.Model, s.l.TP)
	}
	if s.persists(g) && h.layers > 0 {
		of.whole = s.persistentLayers() / h.layers
	}
	return of
}

// roots returns the embedding and the head with the final norm, or both as one
// where they share weights or the framework wraps them together.
func (s *site) roots(g *group) [2]gathered {
	norm := 0.0
	if s.persists(g) && g.head > 0 {
		norm = float64(s.p.Model.FinalNorm)
	}
	if !s.prof.Comm.SplitRoot || s.p.Model.Tied {
		return [2]gathered{{name: "embedding, head and norm ", count: 1, calls: 1, params: g.root, whole: norm}}
	}
	return [2]gathered{
		{name: "embedding ", count: 1, calls: 1, params: g.root - g.head},
		{name: "head and norm ", count: 1, calls: 1, params: g.head, whole: norm},
	}
}

// scatterLayers issues the gradient ReduceScatter of each layer (or of each
// full bucket and what is left, where DeepSpeed collects several layers in
// one), and across the replicas of the shard group the AllReduce of the shard
// (HSDP).
func (s *site) scatterLayers(t *stateTally, g *group, of *gathered) {
	n := of.params * s.p.Work.Trained()
	if of.count == 0 || n <= 0 {
		return
	}
	what := t.label(g.what, t.label(of.name, "gradients"))
	b := float64(s.prof.Comm.ScatterBucket)
	if b == 0 || n <= b {
		s.scatter(t, g, what, n/of.count, of.count)
		return
	}
	whole := math.Floor(n / b)
	s.scatter(t, g, what, b, whole)
	s.scatter(t, g, t.label(what, ", last bucket"), n-whole*b, 1)
}

// scatter issues count calls on n elements each.
func (s *site) scatter(t *stateTally, g *group, what string, n, count float64) {
	d := s.gradType()
	c := collective.Call{Op: collective.ReduceScatter, Purpose: what, Phase: collective.Backward,
		Dims: g.dims, Axis: collective.AxisDP, Span: g.shard, DType: d, Bytes: bytesOf(n, d), Count: count,
		Overlaps: "backward pass of the layer before"}
	class := classBwd
	if s.scattersOnce() {
		class = classGrad
	}
	t.add(c, class)
	if g.replica.Size > 1 {
		c.Op, c.Span, c.Purpose = collective.AllReduce, g.replica, t.label(g.what, "gradient shard across replicas")
		c.Bytes = c.Bytes.Times(1 / float64(g.shard.Size))
		if s.prof.Comm.ReplicaStep {
			class = classGrad
		}
		t.add(c, class)
	}
}

// persists reports whether tensors of a group stay whole: those of norms, which
// are below the threshold.
func (s *site) persists(g *group) bool {
	n := s.prof.Comm.Persist
	return n > 0 && s.p.Model.Hidden <= n && g.dims != collective.EDP
}

// persistentLayers returns the elements of the tensors below the persistence
// threshold of every layer: norms, output biases and routers. Those of latent
// attention's projections are above it; biases of column-parallel products are
// left out, a ten-thousandth of a layer.
func (s *site) persistentLayers() float64 {
	m, n := s.p.Model, 0.0
	for _, k := range m.Pattern {
		p := m.Kinds[k].Params(m.Hidden)
		n += float64(p.Norms + p.FFNReplicated)
		if m.Kinds[k].Mixer.Kind == costmodel.Attention {
			n += float64(p.MixerReplicated)
		}
		if p.Router <= int64(s.prof.Comm.Persist) {
			n += float64(p.Router)
		}
	}
	return n
}

// persistent gathers the parameters that are never split, once a step after
// the optimizer (stage3.py:2571).
func (s *site) persistent(t *stateTally, h *held, g *group) {
	layers, roots := s.eachLayer(h, g), s.roots(g)
	n := layers.whole*h.layers + roots[0].whole + roots[1].whole
	t.add(collective.Call{Op: collective.AllGather, Purpose: t.label(g.what, "persistent parameters"), Phase: collective.Optimizer, Dims: g.dims,
		Axis: collective.AxisDP, Span: g.shard, DType: s.model, Bytes: bytesOf(n, s.model), Count: 1}, classGather)
}
