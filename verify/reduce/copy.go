package reduce

import "unsafe"

// stream copies n bytes, a multiple of 128, to a destination aligned to 32
// with stores that go round the caches; nil where there is no such thing.
var stream func(dst, src *byte, n int)

// CopyStream copies like the built-in copy, for large buffers that nobody
// reads soon: it saves the read of dst that a normal store makes. Where the
// copy is read next, copy is faster. dst and src must not overlap.
func CopyStream(dst, src []byte) int {
	n := min(len(dst), len(src))
	if stream == nil || n < 4096 {
		return copy(dst, src)
	}
	head := int(-uintptr(unsafe.Pointer(&dst[0])) & (block - 1))
	body := (n - head) &^ 127
	copy(dst[:head], src)
	stream(&dst[head], &src[head], body)
	copy(dst[head+body:n], src[head+body:])
	return n
}
