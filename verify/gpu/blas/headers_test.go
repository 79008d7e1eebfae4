package blas

import (
	"testing"
	"unsafe"

	"planner/verify/gpu/fakes"
	"planner/verify/reduce"
)

// TestAgainstHeader holds every number, struct and signature against
// cublasLt.h where there is one.
func TestAgainstHeader(t *testing.T) {
	h := fakes.Vendor(t, "cublasLt.h", "cuda_runtime.h")
	h.Want(map[string]int64{
		"CUBLAS_COMPUTE_32F": nvidia.compute, "CUDA_R_32F": int64(dtypes[reduce.F32]), "CUDA_R_16F": int64(dtypes[reduce.F16]),
		"CUDA_R_16BF": int64(dtypes[reduce.BF16]), "CUBLAS_OP_T": nvidia.transpose, "CUBLASLT_MATMUL_DESC_TRANSA": nvidia.transA, "CUBLASLT_MATMUL_DESC_TRANSB": nvidia.transA + 1,
		"CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES":                 nvidia.workspace,
		"sizeof(cublasLtMatmulHeuristicResult_t)":                  int64(unsafe.Sizeof(heuristic{})),
		"offsetof(cublasLtMatmulHeuristicResult_t, algo)":          int64(unsafe.Offsetof(heuristic{}.algo)),
		"sizeof(cublasLtMatmulAlgo_t)":                             int64(unsafe.Sizeof(heuristic{}.algo)),
		"offsetof(cublasLtMatmulHeuristicResult_t, workspaceSize)": 64, "CUBLAS_STATUS_SUCCESS": 0,
	})
	var tb table
	t.Logf("%d functions", h.Signatures(tb.bindings()))
}
