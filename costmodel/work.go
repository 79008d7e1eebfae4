package costmodel

import (
	"planner/costmodel/kernel"
	"planner/hardware/unit"
)

// Pass is the time of one thing in the forward and in the backward direction.
type Pass struct {
	Fwd, Bwd unit.Seconds
}

// Plus returns the sum of two passes.
func (p Pass) Plus(q Pass) Pass { return Pass{p.Fwd + q.Fwd, p.Bwd + q.Bwd} }

// Times scales both directions.
func (p Pass) Times(k float64) Pass { return Pass{p.Fwd.Times(k), p.Bwd.Times(k)} }

// LayerWork is the kernel time of one layer for one micro-batch on one rank,
// no communication and no recomputation, split by what can be computed again
// or hides a call.
type LayerWork struct {
	Core  Pass // the attention core, or the scan: what selective recompute repeats
	GEMM  Pass // projections and MLP
	Other Pass // norms, residuals, activation functions, rotary, permutation
	// Grad is the part of the backward GEMMs that computes input gradients; the
	// other part computes weight gradients.
	Grad unit.Seconds
	// Streamed is the part that memory bandwidth limits: all of Other, and products
	// of so few rows or columns that their operands take longer than the sums.
	Streamed Pass
	// Ops is what runs again where every second product's output is kept: see
	// [Layer.KeepsOps].
	Ops unit.Seconds
	// Last is the forward time of the product that a layer ends with, whose result
	// nothing keeps; 0 where it ends with routed experts.
	Last unit.Seconds
}

// Total returns the sum of the parts.
func (w LayerWork) Total() Pass { return w.Core.Plus(w.GEMM).Plus(w.Other) }

const half = 2.0 // bytes of a bf16 or fp16 element

// Work returns the kernel time of l on d. It has no side effects and does not
// allocate.
func (l *Layer) Work(hidden int, s *Slice, d *kernel.Device) LayerWork {
	w := worker{d: d, s: s, h: float64(hidden), t: s.Tokens()}
	w.layer(l)
	w.out.Ops += w.out.Other.Fwd
	return w.out
}

func (w *worker) layer(l *Layer) {
	switch l.Mixer.Kind {
	case Attention:
		w.attention(&l.Mixer)
	case MLA:
		w.mla(&l.Mixer)
	case Linear, Mamba2:
		w.recurrent(&l.Mixer)
	}
	w.ffn(&l.FFN)
	w.norms(l)
}

type worker struct {
	d   *kernel.Device
	s   *Slice
	h   float64 // hidden size
	t   float64 // tokens
	out LayerWork
	// list, if not nil, is given every kernel.
	list func(Kernel)
}

// linear adds a matrix product y[m,n] = x[m,k]·W and its two gradients:
// dx[m,k] = dy·Wᵀ and dW[k,n] = xᵀ·dy.
func (w *worker) linear(m, n, k float64) { w.linearAgain(m, n, k, 0) }

// linearAgain is linear of a product of which again columns are formed twice
// where every second product's output is kept.
func (w *worker) linearAgain(m, n, k, again float64) {
	if n == 0 || k == 0 {
		return
	}
	out := w.d.GEMM(m, n, k)
	w.products(1, m, n, k, out, w.d.GEMM(m, k, n), w.d.Matmul(n, k, m))
	w.out.Ops += out.Times(again / n)
	if w.list != nil {
		w.listProducts(1, m, n, k, again)
	}
}

// products adds the times of a product and of its two gradients.
func (w *worker) products(groups int, m, n, k float64, out, grad, weight unit.Seconds) {
	w.out.GEMM = w.out.GEMM.Plus(Pass{out, grad + weight})
	w.out.Grad += grad
	if w.d.Starved(groups, m, n, k) {
		w.out.Streamed.Fwd += out
	}
	if w.d.Starved(groups, m, k, n) {
		w.out.Streamed.Bwd += grad
	}
	if w.d.Starved(groups, n, k, m) {
		w.out.Streamed.Bwd += weight
	}
}

// stream adds memory-bound work of fwd and bwd bytes at 16 bits an element.
func (w *worker) stream(fwd, bwd float64) {
	fwd, bwd = fwd*w.s.wide(), bwd*w.s.wide()
	p := Pass{w.d.Stream(unit.Bytes(fwd)), w.d.Stream(unit.Bytes(bwd))}
	w.out.Other, w.out.Streamed = w.out.Other.Plus(p), w.out.Streamed.Plus(p)
	if w.list != nil {
		w.list(Kernel{Bytes: fwd, Seconds: p.Fwd})
		w.list(Kernel{Bytes: bwd, Backward: true, Seconds: p.Bwd})
	}
}

func (w *worker) ffn(f *FFN) {
	up := 1.0
	if f.Gated {
		up = 2
	}
	if f.Width > 0 {
		w.mlp(w.t, w.h, float64(f.Width)/w.s.TP, up)
	}
	if f.Shared > 0 {
		w.mlp(w.t, w.h, float64(f.Shared)/w.s.TP, up)
	}
	if f.Experts > 0 {
		w.experts(f, up)
	}
}

func (w *worker) mlp(m, h, width, up float64) {
	w.linearAgain(m, up*width, h, (up-1)*width)
	w.linear(m, h, width)
	w.out.Last = w.d.GEMM(m, h, width)
	w.stream((up+1)*m*width*half, (2*up+1)*m*width*half)
}

// norms adds the norms (read and write a row; backward reads two and writes
// one) and the residual additions (three rows each way).
func (w *worker) norms(l *Layer) {
	row := w.s.Rows() * w.h * half * w.s.Pointwise
	n := float64(l.Norms) * max(1, w.s.Norm)
	w.stream(2*n*row, 3*n*row)
	w.stream(6*row, 6*row)
}
