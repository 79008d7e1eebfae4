package reduce

import "golang.org/x/sys/cpu"

func init() {
	if !cpu.X86.HasAVX2 {
		return
	}
	useAll()
	if cpu.X86.HasF16C {
		use(F16, sumF16, maxF16, minF16)
		scalers[F16] = divide(scalers[F16], divF16)
	}
	stream = copyStream
}

//go:noescape
func copyStream(dst, src *byte, n int)
