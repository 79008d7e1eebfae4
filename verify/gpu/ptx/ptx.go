// Package ptx holds the kernels of the CUDA back end as PTX text, which the
// driver compiles for the GPU at hand: any of compute capability 7.0 or more,
// with a driver of CUDA 9.0 or more (PTX ISA 6.0 for sm_70).
//
// The text is made from c/kernels.c by Debian's clang-19, without the CUDA
// toolkit, and committed.
package ptx

import (
	_ "embed"

	"planner/verify/reduce"
)

//go:generate clang-19 -O3 -target nvptx64-nvidia-cuda -nocudainc -nocudalib -march=sm_70 -Xclang -target-feature -Xclang +ptx60 -ffp-contract=off -fno-ident -S c/kernels.c -o kernels.ptx

//go:embed kernels.ptx
var text []byte

// Image returns the module as cuModuleLoadData takes it, closed by a NUL. The
// caller may keep and change it.
func Image() []byte { return append(append(make([]byte, 0, len(text)+1), text...), 0) }

// Copy is the entry of the kernel copy(dst, src, bytes).
const Copy = "copy"

// Serves reports whether there are kernels for a type: f32, f16 and bf16.
func Serves(t reduce.DType) bool { return t == reduce.F32 || t == reduce.F16 || t == reduce.BF16 }

// Reduce returns the entry of the kernel (dst, a, b, elements) for a type that
// Serves. An average is a sum that [Average] ends.
func Reduce(t reduce.DType, op reduce.Op) string {
	if op == reduce.Avg {
		op = reduce.Sum
	}
	return op.String() + "_" + t.String()
}

// Average returns the entry of the kernel (dst, src, elements, ranks).
func Average(t reduce.DType) string { return "avg_" + t.String() }

// Norm returns the entry of the kernel (dst, x, weight, rows, columns) that
// divides rows by their root mean square.
func Norm(t reduce.DType) string { return "norm_" + t.String() }

// NormGrad returns the entry of its gradient (dst, dy, x, weight, rows,
// columns).
func NormGrad(t reduce.DType) string { return "normgrad_" + t.String() }

// Adam returns the entry of the optimizer's kernel (parameters of a type,
// gradients, master copy and both moments in f32, elements, [AdamStep] by
// value).
func Adam(t reduce.DType) string { return "adam_" + t.String() }

// AdamStep is the last argument of the optimizer's kernel.
type AdamStep struct {
	Rate, Beta1, Beta2, Epsilon float32
	Fix1, Fix2                  float32 // 1/(1−β₁ᵗ), 1/(1−β₂ᵗ)
}

// Entries returns the names of all kernels.
func Entries() []string {
	all := []string{Copy}
	for t := range reduce.NumDTypes {
		if !Serves(t) {
			continue
		}
		for op := reduce.Sum; op < reduce.Avg; op++ {
			all = append(all, Reduce(t, op))
		}
		all = append(all, Average(t), Norm(t), NormGrad(t), Adam(t))
	}
	return all
}
