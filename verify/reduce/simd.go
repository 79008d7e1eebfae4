//go:build amd64

package reduce

// block is the bytes that every assembly kernel does at a time.
const block = 32

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
