package reduce

import (
	"fmt"
	"testing"
)

// BenchmarkKernel reports bytes per operand and second of dst = dst op b.
func BenchmarkKernel(b *testing.B) {
	for _, size := range []int{4 << 10, 256 << 10, 16 << 20} {
		for d := range NumDTypes {
			for op := range Avg {
				b.Run(fmt.Sprintf("%v/%v/%dKiB", d, op, size>>10), func(b *testing.B) {
					x, y := make([]byte, size), make([]byte, size)
					f := Kernel(d, op)
					b.SetBytes(int64(size))
					for b.Loop() {
						f(x, x, y)
					}
				})
			}
		}
	}
}

func BenchmarkScale(b *testing.B) {
	for d := range NumDTypes {
		b.Run(d.String(), func(b *testing.B) {
			x := make([]byte, 256<<10)
			b.SetBytes(int64(len(x)))
			for b.Loop() {
				Scale(d, x, 3)
			}
		})
	}
}

func BenchmarkCopy(b *testing.B) {
	for _, size := range []int{256 << 10, 4 << 20, 64 << 20} {
		for name, f := range map[string]func(d, s []byte) int{"copy": func(d, s []byte) int { return copy(d, s) }, "stream": CopyStream} {
			b.Run(fmt.Sprintf("%s/%dKiB", name, size>>10), func(b *testing.B) {
				x, y := make([]byte, size), make([]byte, size)
				b.SetBytes(int64(size))
				for b.Loop() {
					f(x, y)
				}
			})
		}
	}
}
