// Package blas runs matrix products through cuBLASLt or AMD's hipBLASLt, opened
// while the program runs, to measure what a layer's GEMMs cost on the GPU at hand.
package blas

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"unsafe"

	"planner/costmodel"
	"planner/verify/gpu/dl"
	"planner/verify/reduce"
)

type (
	handle uintptr
	status int32
)

// heuristic is cublasLtMatmulHeuristicResult_t: the algorithm, then its
// workspace, a status, the waves it runs in, and reserved words.
// hipblasLtMatmulHeuristicResult_t has a shorter algorithm, of 24 bytes, in
// the same place, and 56 bytes in all.
type heuristic struct {
	algo [8]uint64
	_    uint64
	_    status
	_    float32
	_    [4]int32
}

// table holds the functions, with the signatures of cublasLt.h.
type table struct {
	version       func() uint64
	statusString  func(status) string
	create        func(*handle) status
	destroy       func(handle) status
	descCreate    func(d *handle, compute, scale int32) status
	descDestroy   func(handle) status
	descSet       func(d handle, attr int32, v *int32, n uint64) status
	layoutCreate  func(l *handle, dtype int32, rows, cols uint64, ld int64) status
	layoutDestroy func(handle) status
	prefCreate    func(*handle) status
	prefDestroy   func(handle) status
	prefSet       func(p handle, attr int32, v *uint64, n uint64) status
	choose        func(h, desc, a, b, c, d, pref handle, want int32, out *heuristic, got *int32) status
	matmul        func(h, desc handle, alpha *float32, a uintptr, la handle, b uintptr, lb handle, beta *float32,
		c uintptr, lc handle, d uintptr, ld handle, algo unsafe.Pointer, workspace uintptr, n uint64, stream uintptr) status
}

func (t *table) bindings() []dl.Binding {
	b := func(name string, f any) dl.Binding { return dl.Binding{Name: name, Func: f} }
	return []dl.Binding{
		b("cublasLtGetVersion", &t.version),
		{Name: "cublasLtGetStatusString", Func: &t.statusString, Optional: true},
		b("cublasLtCreate", &t.create), b("cublasLtDestroy", &t.destroy), b("cublasLtMatmulDescCreate", &t.descCreate),
		b("cublasLtMatmulDescDestroy", &t.descDestroy), b("cublasLtMatmulDescSetAttribute", &t.descSet),
		b("cublasLtMatrixLayoutCreate", &t.layoutCreate), b("cublasLtMatrixLayoutDestroy", &t.layoutDestroy),
		b("cublasLtMatmulPreferenceCreate", &t.prefCreate), b("cublasLtMatmulPreferenceDestroy", &t.prefDestroy),
		b("cublasLtMatmulPreferenceSetAttribute", &t.prefSet), b("cublasLtMatmulAlgoGetHeuristic", &t.choose),
		b("cublasLtMatmul", &t.matmul),
	}
}

// Library is cuBLASLt, open.
type Library struct {
	Version int // as 120500 for 12.5.0
	table
	numbers    numbers
	hipVersion func(handle, *int32) status
	mu         sync.Mutex
	handles    map[Device]handle
}

// Open opens cuBLASLt of CUDA 11 to 13, or the first of paths.
func Open(paths ...string) (*Library, error) {
	if len(paths) == 0 {
		paths = []string{"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so.11"}
	}
	lib, err := dl.Open("cuBLAS, as the CUDA toolkit or nvidia-cublas-cu12 brings it", paths...)
	if err != nil {
		return nil, err
	}
	l := &Library{numbers: nvidia}
	if err := lib.Bind(l.bindings()); err != nil {
		return nil, err
	}
	l.Version = int(l.version())
	return l, nil
}

// hipBindings are hipBLASLt's functions, which have cuBLASLt's signatures
// (hipblaslt.h) but for the version's.
func (t *table) hipBindings(version *func(handle, *int32) status) []dl.Binding {
	out := []dl.Binding{{Name: "hipblasLtGetVersion", Func: version, Optional: true}}
	for _, b := range t.bindings()[2:] {
		b.Name = "hip" + strings.TrimPrefix(b.Name, "cu")
		out = append(out, b)
	}
	return out
}

// OpenHIP opens hipBLASLt of ROCm 6 or 7, or the first of paths.
func OpenHIP(paths ...string) (*Library, error) {
	if len(paths) == 0 {
		paths = []string{"libhipblaslt.so.1", "libhipblaslt.so.0", "libhipblaslt.so"}
	}
	lib, err := dl.Open("hipBLASLt, as ROCm brings it", paths...)
	if err != nil {
		return nil, err
	}
	l := &Library{numbers: amd}
	return l, lib.Bind(l.hipBindings(&l.hipVersion))
}

// Title names the library and its version; hipBLASLt's is known from the first
// product on.
func (l *Library) Title() string {
	if l.numbers == amd {
		return fmt.Sprintf("hipBLASLt %d.%d.%d", l.Version/100000, l.Version/100%1000, l.Version%100)
	}
	return fmt.Sprintf("cuBLASLt %d.%d.%d", l.Version/10000, l.Version/100%100, l.Version%100)
}

func (l *Library) check(s status, call string) error {
	if s == 0 {
		return nil
	}
	if l.statusString == nil {
		return fmt.Errorf("%s: status %d", call, s)
	}
	return fmt.Errorf("%s: %s (%d)", call, l.statusString(s), s)
}

// Device is the GPU that products run on.
type Device interface {
	Use() error
	Stream() uintptr
}

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

// numbers are what the two vendors' libraries number otherwise: of the compute
// type, the operation, and the attributes (library_types.h, cublas_api.h,
// cublasLt.h; hipblas-common.h, hipblaslt.h).
type numbers struct {
	compute, transpose, transA, workspace int64
}

var (
	nvidia = numbers{compute: 68, transpose: 1, transA: 3, workspace: 1}
	amd    = numbers{compute: 2, transpose: 112, transA: 0, workspace: 1}
)

// real32F is CUDA_R_32F and HIP_R_32F, the type of the scalars.
const real32F = 0

var dtypes = map[reduce.DType]int32{reduce.F32: real32F, reduce.F16: 2, reduce.BF16: 14}

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

// Detach gives up what products on a GPU share, once all are closed.
func (l *Library) Detach(d Device) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	h := l.handles[d]
	if h == 0 {
		return nil
	}
	delete(l.handles, d)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return errors.Join(d.Use(), l.check(l.destroy(h), "cublasLtDestroy"))
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
