package blas

import (
	"strings"
	"unsafe"

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
