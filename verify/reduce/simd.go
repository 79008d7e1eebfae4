//go:build amd64 || arm64

package reduce

// blocks returns a Func that does whole blocks by kernel and the rest in Go.
func blocks(kernel func(dst, a, b *byte, n int), rest Func) Func {
	return func(dst, a, b []byte) {
		n := len(dst) &^ (block - 1)
		if n > 0 {
			_, _ = a[n-1], b[n-1]
			kernel(&dst[0], &a[0], &b[0], n)
		}
		if n < len(dst) {
			rest(dst[n:], a[n:], b[n:])
		}
	}
}

//go:noescape
func sumF32(dst, a, b *byte, n int)

//go:noescape
func maxF32(dst, a, b *byte, n int)

//go:noescape
func minF32(dst, a, b *byte, n int)

//go:noescape
func sumF64(dst, a, b *byte, n int)

//go:noescape
func maxF64(dst, a, b *byte, n int)

//go:noescape
func minF64(dst, a, b *byte, n int)

//go:noescape
func sumI32(dst, a, b *byte, n int)

//go:noescape
func maxI32(dst, a, b *byte, n int)

//go:noescape
func minI32(dst, a, b *byte, n int)

//go:noescape
func sumF16(dst, a, b *byte, n int)

//go:noescape
func maxF16(dst, a, b *byte, n int)

//go:noescape
func minF16(dst, a, b *byte, n int)

//go:noescape
func sumBF16(dst, a, b *byte, n int)

//go:noescape
func maxBF16(dst, a, b *byte, n int)

//go:noescape
func minBF16(dst, a, b *byte, n int)

// use fills fast with the assembly of dtype d.
func use(d DType, sum, max, min func(dst, a, b *byte, n int)) {
	for op, k := range [Avg]func(dst, a, b *byte, n int){Sum: sum, Max: max, Min: min} {
		fast[d][op] = blocks(k, portable[d][op])
	}
}

// useAll fills fast and scalers for all types but f16, whose conversions the
// processor may lack.
func useAll() {
	use(F32, sumF32, maxF32, minF32)
	use(F64, sumF64, maxF64, minF64)
	use(I32, sumI32, maxI32, minI32)
	use(BF16, sumBF16, maxBF16, minBF16)
	scalers[F32] = divide(scaleF32, divF32)
	scalers[F64] = divide(scaleF64, divF64)
	scalers[BF16] = divide(scalers[BF16], divBF16)
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
