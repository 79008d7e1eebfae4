package strategies

import (
	"planner/costmodel"
	"planner/costmodel/collective"
	"planner/costmodel/kernel"
	"planner/hardware/unit"
)

// block is one layer, or one end of the model, for one micro-batch on one
// rank: kernel time, exposed communication, host time, and memory. It is built
// once per distinct key and cached; explain keeps its calls as well.
type block struct {
	compute costmodel.Pass // recomputation included in the backward pass
	stream  costmodel.Pass // of these, what memory bandwidth limits
	weight  unit.Seconds   // weight-gradient part of the backward pass
	axes    [collective.NumAxes]costmodel.Pass
	comm    costmodel.Pass // sum of axes
	busy    linkTimes
	host    costmodel.Pass // launch time that the GPU waits for
	keep    unit.Bytes     // activations of one micro-batch in flight
	whole   unit.Bytes     // what its backward pass holds beyond keep
	calls   []collective.Call
}

// plus adds n times c to b, calls left out.
func (b *block) plus(c *block, n float64) {
	b.compute = b.compute.Plus(c.compute.Times(n))
	b.stream = b.stream.Plus(c.stream.Times(n))
	b.weight += c.weight.Times(n)
	for a := range b.axes {
		b.axes[a] = b.axes[a].Plus(c.axes[a].Times(n))
	}
	b.comm = b.comm.Plus(c.comm.Times(n))
	b.busy.plus(&c.busy, n)
	b.host = b.host.Plus(c.host.Times(n))
	b.keep += c.keep.Times(n)
}

// time returns the whole of a block in each direction.
func (b *block) time() costmodel.Pass { return b.compute.Plus(b.comm).Plus(b.host) }

// close books the tally and the host time of a block: GPU work and launches
// run side by side, so a layer takes the soft maximum of both.
func (b *block) close(t *tally, host costmodel.Pass) {
	for a := range b.axes {
		b.axes[a] = costmodel.Pass{Fwd: t.fwd[a], Bwd: t.bwd[a]}
	}
	b.comm = t.sum()
	b.busy = t.busy
	b.calls = t.calls
	gpu := b.compute.Plus(b.comm)
	host = host.Plus(t.wait)
	b.host.Fwd = kernel.SoftMax(gpu.Fwd, host.Fwd, hostSharpness) - gpu.Fwd
	b.host.Bwd = kernel.SoftMax(gpu.Bwd, host.Bwd, hostSharpness) - gpu.Bwd
}

// hostSharpness is the exponent of the soft maximum of GPU and host time:
// layers near the balance feel both.
const hostSharpness = 3

// layerBlock builds the block of one kind of layer. Full says that the layer
// is recomputed whole.
func (s *site) layerBlock(l *costmodel.Layer, full, keepCalls bool) block {
	slice := s.slice()
	w := l.Work(s.p.Model.Hidden, &slice, s.p.Device)
	total := w.Total().Times(s.fit.Compute)
	core := w.Core.Times(s.fit.Compute)
	products := (w.GEMM.Bwd - w.Grad).Times(s.fit.Compute)
	b := block{compute: total, stream: w.Streamed.Times(s.fit.Compute), weight: products.Times(s.p.Work.Trained())}
	b.compute.Bwd -= products - b.weight // frozen weights have no gradient
	again := s.again(l, full)
	switch {
	case full:
		b.compute.Bwd += total.Fwd - s.spared(&w)
		b.stream.Bwd += b.stream.Fwd
	case again.launches > 0:
		b.compute.Bwd += w.Ops.Times(s.fit.Compute)
		b.stream.Bwd += w.Other.Fwd.Times(s.fit.Compute)
	case again.core > 0:
		b.compute.Bwd += core.Fwd
	}
	s.saved(&b, l, &slice, full)
	t := tally{fabric: s.p.Fabric, keep: keepCalls, times: 1, late: s.lateness()}
	s.tensorLayer(&t, l, again.inputs, again.outputs)
	s.replicatedHeads(&t, l, again.inputs)
	s.contextLayer(&t, l, core, again.core)
	s.expertLayer(&t, l, again.outputs)
	if s.p.Work.Forward {
		b.forwardOnly(&t)
	}
	launch := costmodel.Pass{Fwd: s.launches(l, &slice)}
	if !s.p.Work.Forward {
		launch.Bwd = launch.Fwd.Times(1 + again.launches)
	}
	b.close(&t, launch)
	return b
}

// repeats is what of a layer's forward pass runs again, 0 or 1 of each: the calls
// on the inputs of its parts and on what they return, the attention core, and
// the launches of the host, which walks through all of it even where some
// outputs are kept.
type repeats struct{ inputs, outputs, core, launches float64 }

// again returns what the recomputation of a layout repeats of a layer. Keeping
// the outputs of operations keeps those of ReduceScatter, not those of AllGather
// (torchtitan distributed/activation_checkpoint.py, save list).
func (s *site) again(l *costmodel.Layer, full bool) repeats {
	switch {
	case full:
		return repeats{1, 1, 1, 1}
	case s.l.Recompute != RecomputeSelective:
		return repeats{}
	case !s.prof.Memory.SelectiveOps:
		return repeats{core: 1}
	case l.KeepsOps():
		return repeats{inputs: 1, launches: 1}
	}
	return repeats{}
}

// spared returns what recomputation leaves out of a layer's forward pass: where
// it stops as soon as every kept tensor is there, the product at its end, whose
// result the backward pass does not need (PyTorch torch/utils/checkpoint.py,
// early_stop, without use_reentrant).
func (s *site) spared(w *costmodel.LayerWork) unit.Seconds {
	if !s.prof.Memory.EarlyStop {
		return 0
	}
	return w.Last.Times(s.fit.Compute)
}

// forwardOnly drops the backward pass of a forward-only step.
func (b *block) forwardOnly(t *tally) {
	b.compute.Bwd, b.stream.Bwd, b.weight, b.keep = 0, 0, 0, 0
	t.bwd = [collective.NumAxes]unit.Seconds{}
	t.wait.Bwd = 0
	for i := range t.busy {
		t.busy[i].Bwd = 0
	}
	kept := t.calls[:0]
	for _, c := range t.calls {
		if c.Phase == collective.Forward {
			kept = append(kept, c)
		}
	}
	t.calls = kept
}

// saved sets what a block keeps of one micro-batch in flight, and what its
// backward pass holds beyond that: the gradients passing through, the rest of
// a layer recomputed whole, or the scores of one recomputed core. What is known
// exactly, the layer's input and the scores, is not scaled by a fit.
func (s *site) saved(b *block, l *costmodel.Layer, slice *costmodel.Slice, full bool) {
	a := l.Saved(s.p.Model.Hidden, slice, s.prof.Memory.Gathered)
	if s.p.Work.UnfusedNorm {
		a.Rest += unit.Bytes(slice.Rows() * float64(s.p.Model.Hidden) * s.fit.NormSaved)
	}
	a.Rest = a.Rest.Times(s.fit.Saved)
	passing := l.Backward(s.p.Model.Hidden, slice)
	wide := s.model.Size() / 2 // costmodel counts 16-bit elements
	a.Input, a.Scores, a.Rest, passing = a.Input.Times(wide), a.Scores.Times(wide), a.Rest.Times(wide), passing.Times(wide)
	switch {
	case s.p.Work.Forward:
		b.whole = a.All()
	case full:
		b.keep, b.whole = a.Input, a.Rest+a.Scores+passing
	case s.l.Recompute == RecomputeSelective && s.prof.Memory.SelectiveOps:
		b.keep = min(a.All(), l.SavedOps(s.p.Model.Hidden, slice).Times(wide))
		b.whole = a.All() - b.keep + passing
	case s.l.Recompute == RecomputeSelective:
		b.keep, b.whole = a.Input+a.Rest, max(a.Scores, passing)
	default:
		b.keep, b.whole = a.All(), passing
	}
}
