package strategies

import (
	"planner/costmodel"
	"planner/hardware/unit"
)

// StageKernels is what a pipeline rank computes for one micro-batch, forward
// and backward with what it recomputes, all its chunks.
type StageKernels []RunKernels

// RunKernels is kernels that run Times over: those of a run of like layers.
type RunKernels struct {
	Times   int
	Kernels []costmodel.Kernel
}

// Kernels returns the kernels of each pipeline rank of a legal layout, with
// the plan's times for them alone.
func (p *Problem) Kernels(l Layout, prof *Profile) []StageKernels {
	s := newSite(p, prof, l)
	kinds := make([][]costmodel.Kernel, len(p.Model.Kinds))
	for i := range kinds {
		kinds[i] = s.layerKernels(&p.Model.Kinds[i])
	}
	out, last := make([]StageKernels, l.PP), make([]int, l.PP)
	at := 0
	for c, n := range p.layersOf(&l, prof) {
		for _, k := range p.Model.Pattern[at : at+n] {
			x := &out[c%l.PP]
			if n := len(*x); n > 0 && last[c%l.PP] == int(k) {
				(*x)[n-1].Times++
				continue
			}
			*x, last[c%l.PP] = append(*x, RunKernels{1, kinds[k]}), int(k)
		}
		at += n
	}
	if p.Work.LayersOnly {
		return out
	}
	out[l.PP-1] = append(out[l.PP-1], RunKernels{1, s.headKernels()})
	return out
}

// layerKernels lists a layer; what is recomputed stands in the backward pass.
func (s *site) layerKernels(l *costmodel.Layer) (out []costmodel.Kernel) {
	slice := s.slice()
	all := l.Kernels(s.p.Model.Hidden, &slice, s.p.Device)
	spared := s.sparedKernel(l, all)
	for i, k := range all {
		if s.p.Work.Forward && k.Backward {
			continue
		}
		out = append(out, k)
		if k.Backward {
			continue
		}
		if part := s.kernelAgain(l, &k); part > 0 && i != spared {
			k.Backward, k.N, k.Bytes, k.Seconds = true, k.N*part, k.Bytes*part, k.Seconds.Times(part)
			out = append(out, k)
		}
	}
	return out
}

// kernelAgain returns the part of a forward kernel that recomputation repeats.
func (s *site) kernelAgain(l *costmodel.Layer, k *costmodel.Kernel) float64 {
	again := s.again(l, s.l.Recompute == RecomputeFull && s.l.FullLayers == 0)
	switch {
	case again.outputs > 0, k.Core && again.core > 0:
		return 1
	case again.launches == 0 || k.Core:
		return 0
	case k.M == 0:
		return 1
	}
	return k.Again / k.N
}

// sparedKernel returns the index of the product that recomputation leaves out,
// or -1: see spared.
func (s *site) sparedKernel(l *costmodel.Layer, all []costmodel.Kernel) int {
	if !s.prof.Memory.EarlyStop || l.FFN.Experts > 0 {
		return -1
	}
	for i := len(all) - 1; i >= 0; i-- {
		if k := &all[i]; k.M > 0 && !k.Backward && !k.Core {
			return i
		}
	}
	return -1
}

// headKernels lists the LM head and the loss.
func (s *site) headKernels() []costmodel.Kernel {
	d, h, n := s.p.Wide, float64(s.p.Model.Hidden), float64(s.tokens())
	_, v := s.vocab()
	bytes := s.fit.LossBytes * n * v / 2
	loss := d.Stream(unit.Bytes(2 * bytes)).Times(0.5)
	out := []costmodel.Kernel{
		{Groups: 1, M: n, N: v, K: h, Seconds: d.GEMM(n, v, h)}, {Bytes: bytes, Seconds: loss},
	}
	if s.p.Work.Forward {
		return out
	}
	return append(out, costmodel.Kernel{Backward: true, Groups: 1, M: n, N: h, K: v, Product: costmodel.InputGrad, Seconds: d.GEMM(n, h, v)},
		costmodel.Kernel{Backward: true, Groups: 1, M: v, N: h, K: n, Product: costmodel.WeightGrad, Seconds: d.GEMM(v, h, n)},
		costmodel.Kernel{Backward: true, Bytes: bytes, Seconds: loss})
}
