package blas

import (
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"planner/costmodel"
	"planner/verify/reduce"
)

// Shape is a product D of n by m in row-major order, each element a sum over k:
// of a linear layer W·X with weights W of m outputs by k inputs and X of n
// tokens by k, or one of its gradients. Operands lie as the layer has them: of
// the output, W is m by k and X n by k; of the input's gradient, the first
// operand is k by m; of the weights', both have k rows. Column-major libraries
// call that TN, NN and NT.
type Shape struct {
	M, N, K int
	Product costmodel.Product
}

// FLOPs returns the operations, a multiply-add counted as two.
func (s Shape) FLOPs() float64 { return 2 * float64(s.M) * float64(s.N) * float64(s.K) }

// Workspace is the memory that products may use: what PyTorch gives cuBLASLt
// on Hopper (aten/src/ATen/cuda/CublasHandlePool.cpp, 2.6).
const Workspace = 32 << 20

// Gemm is a product that is ready to run.
type Gemm struct {
	l       *Library
	d       Device
	h, desc handle
	w, x, y handle // layouts
	best    heuristic
	scalars [2]float32
	Shape
}

// New prepares a product of a type f32, f16 or bf16 on a GPU, by the
// algorithm that cuBLASLt thinks best. Sums are in f32.
func (l *Library) New(d Device, s Shape, t reduce.DType) (*Gemm, error) {
	dt, ok := dtypes[t]
	if !ok {
		return nil, fmt.Errorf("GEMM of %v: not measured: want f32, f16 or bf16", t)
	}
	if s.M < 1 || s.N < 1 || s.K < 1 || s.Product > costmodel.WeightGrad {
		return nil, fmt.Errorf("GEMM of %dx%dx%d: too small: want at least 1 of each", s.M, s.N, s.K)
	}
	g := &Gemm{l: l, d: d, Shape: s, scalars: [2]float32{1, 0}}
	err := g.on(func() error { return g.prepare(dt) })
	if err != nil {
		return nil, errors.Join(err, g.Close())
	}
	return g, nil
}

func (g *Gemm) on(f func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := g.d.Use(); err != nil {
		return err
	}
	return f()
}

// prepare sets the product up. The libraries are column-major, in which D is m
// by n, a W of m rows by k is k by m and taken transposed, and an X of n rows
// by k is k by n.
func (g *Gemm) prepare(dt int32) error {
	if err := g.attach(); err != nil {
		return err
	}
	l, m, n, k, transposed := g.l, uint64(g.M), uint64(g.N), uint64(g.K), int32(g.l.numbers.transpose)
	wr, wc, xr, xc := k, m, k, n
	if g.Product != costmodel.Output {
		wr, wc = m, k
	}
	if g.Product == costmodel.WeightGrad {
		xr, xc = n, k
	}
	for _, c := range []struct {
		call string
		skip bool
		f    func() status
	}{
		{"cublasLtMatmulDescCreate", false, func() status { return l.descCreate(&g.desc, int32(l.numbers.compute), real32F) }},
		{"cublasLtMatmulDescSetAttribute", g.Product != costmodel.Output, func() status { return l.descSet(g.desc, int32(l.numbers.transA), &transposed, 4) }},
		{"cublasLtMatmulDescSetAttribute", g.Product != costmodel.WeightGrad, func() status { return l.descSet(g.desc, int32(l.numbers.transA)+1, &transposed, 4) }},
		{"cublasLtMatrixLayoutCreate", false, func() status { return l.layoutCreate(&g.w, dt, wr, wc, int64(wr)) }},
		{"cublasLtMatrixLayoutCreate", false, func() status { return l.layoutCreate(&g.x, dt, xr, xc, int64(xr)) }},
		{"cublasLtMatrixLayoutCreate", false, func() status { return l.layoutCreate(&g.y, dt, m, n, int64(m)) }},
	} {
		if c.skip {
			continue
		}
		if err := l.check(c.f(), c.call); err != nil {
			return err
		}
	}
	return g.choose()
}

// attach takes the handle of the GPU, which all its products share.
func (g *Gemm) attach() error {
	g.l.mu.Lock()
	defer g.l.mu.Unlock()
	if h := g.l.handles[g.d]; h != 0 {
		g.h = h
		return nil
	}
	if err := g.l.check(g.l.create(&g.h), "cublasLtCreate"); err != nil {
		return err
	}
	if v := int32(0); g.l.hipVersion != nil && g.l.hipVersion(g.h, &v) == 0 {
		g.l.Version = int(v)
	}
	if g.l.handles == nil {
		g.l.handles = map[Device]handle{}
	}
	g.l.handles[g.d] = g.h
	return nil
}

func (g *Gemm) choose() error {
	var pref handle
	if err := g.l.check(g.l.prefCreate(&pref), "cublasLtMatmulPreferenceCreate"); err != nil {
		return err
	}
	defer g.l.prefDestroy(pref)
	room, got := uint64(Workspace), int32(0)
	if err := g.l.check(g.l.prefSet(pref, int32(g.l.numbers.workspace), &room, 8), "cublasLtMatmulPreferenceSetAttribute"); err != nil {
		return err
	}
	s := g.l.choose(g.h, g.desc, g.w, g.x, g.y, g.y, pref, 1, &g.best, &got)
	if err := g.l.check(s, "cublasLtMatmulAlgoGetHeuristic"); err != nil {
		return err
	}
	if got == 0 {
		return fmt.Errorf("GEMM of %dx%dx%d: the library has no algorithm: want dimensions that divide by 8", g.M, g.N, g.K)
	}
	return nil
}

// Run puts the product on the GPU's stream. workspace has Workspace bytes.
func (g *Gemm) Run(w, x, y, workspace uintptr) error {
	return g.on(func() error {
		return g.l.check(g.l.matmul(g.h, g.desc, &g.scalars[0], w, g.w, x, g.x, &g.scalars[1], y, g.y, y, g.y,
			unsafe.Pointer(&g.best.algo), workspace, Workspace, g.d.Stream()), "cublasLtMatmul")
	})
}

// Close gives the product back; it must be done.
func (g *Gemm) Close() error {
	for _, h := range []handle{g.w, g.x, g.y} {
		if h != 0 {
			_ = g.l.layoutDestroy(h)
		}
	}
	if g.desc != 0 {
		_ = g.l.descDestroy(g.desc)
	}
	return nil
}
