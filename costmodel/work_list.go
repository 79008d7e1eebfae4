package costmodel

import (
	"planner/costmodel/kernel"
	"planner/hardware/unit"
)

// Kernel is one kernel of a layer: matrix products, or memory traffic where M
// is 0.
type Kernel struct {
	Backward bool
	// Groups products [M,K]·[K,N], M tokens.
	Groups  int
	M, N, K float64
	Product Product
	// Core says that the products stand for the attention core, or the scan:
	// they have its operations, about its operands, and its time.
	Core  bool
	Bytes float64 // read and written
	// Again is the columns of a product that are formed twice where every second
	// product's output is kept.
	Again   float64
	Seconds unit.Seconds
}

// Product is which of a linear layer's products a kernel is.
type Product uint8

// The products: y = x·W, dx = dy·Wᵀ, dW = xᵀ·dy.
const (
	Output Product = iota
	InputGrad
	WeightGrad
)

// Kernels lists the kernels whose times [Layer.Work] adds up, in its order,
// forward and backward mixed.
func (l *Layer) Kernels(hidden int, s *Slice, d *kernel.Device) []Kernel {
	var out []Kernel
	w := worker{d: d, s: s, h: float64(hidden), t: s.Tokens(), list: func(k Kernel) { out = append(out, k) }}
	w.layer(l)
	return out
}

// listProducts lists a product and its two gradients.
func (w *worker) listProducts(groups int, m, n, k, again float64) {
	if groups == 1 {
		w.list(Kernel{Groups: 1, M: m, N: n, K: k, Again: again, Seconds: w.d.GEMM(m, n, k)})
		w.list(Kernel{Backward: true, Groups: 1, M: m, N: k, K: n, Product: InputGrad, Seconds: w.d.GEMM(m, k, n)})
		w.list(Kernel{Backward: true, Groups: 1, M: n, N: k, K: m, Product: WeightGrad, Seconds: w.d.Matmul(n, k, m)})
		return
	}
	w.list(Kernel{Groups: groups, M: m, N: n, K: k, Seconds: w.d.Grouped(groups, m, n, k)})
	w.list(Kernel{Backward: true, Groups: groups, M: m, N: k, K: n, Product: InputGrad, Seconds: w.d.Grouped(groups, m, k, n)})
	w.list(Kernel{Backward: true, Groups: groups, M: n, N: k, K: m, Product: WeightGrad, Seconds: w.d.Grouped(groups, n, k, m)})
}

// listCore lists an attention core of wide output elements a token over some
// keys as its two products forward and the five that a fused kernel forms
// backward (kernel.AttentionSpec.FLOPs), equally long.
func (w *worker) listCore(tokens, wide, keys float64, p Pass) {
	for range 2 {
		w.list(Kernel{Core: true, Groups: 1, M: tokens, N: wide, K: keys, Seconds: p.Fwd.Times(1. / 2)})
	}
	for range 5 {
		w.list(Kernel{Core: true, Backward: true, Groups: 1, M: tokens, N: wide, K: keys, Seconds: p.Bwd.Times(1. / 5)})
	}
}
