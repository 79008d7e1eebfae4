package reduce

import "golang.org/x/sys/cpu"

func init() {
	if !cpu.X86.HasAVX2 {
		return
	}
	use(F32, sumF32, maxF32, minF32)
	use(F64, sumF64, maxF64, minF64)
	use(I32, sumI32, maxI32, minI32)
	use(BF16, sumBF16, maxBF16, minBF16)
	scalers[F32] = divide(scaleF32, divF32)
	scalers[BF16] = divide(scalers[BF16], divBF16)
	scalers[F64] = divide(scaleF64, divF64)
	if cpu.X86.HasF16C {
		use(F16, sumF16, maxF16, minF16)
		scalers[F16] = divide(scalers[F16], divF16)
	}
	stream = copyStream
}

// divide returns a scaler that does whole blocks by kernel.
func divide[T float32 | float64](rest func(dst []byte, n int), kernel func(dst *byte, n int, by T)) func(dst []byte, n int) {
	return func(dst []byte, by int) {
		n := len(dst) &^ (block - 1)
		if n > 0 {
			kernel(&dst[0], n, T(by))
		}
		rest(dst[n:], by)
	}
}

//go:noescape
func divF32(dst *byte, n int, by float32)

//go:noescape
func divF64(dst *byte, n int, by float64)

//go:noescape
func divF16(dst *byte, n int, by float32)

//go:noescape
func divBF16(dst *byte, n int, by float32)

//go:noescape
func copyStream(dst, src *byte, n int)
