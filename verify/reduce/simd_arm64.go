package reduce

import "golang.org/x/sys/cpu"

func init() {
	if !cpu.ARM64.HasASIMD {
		return
	}
	useAll()
	use(F16, sumF16, maxF16, minF16)
	scalers[F16] = divide(scalers[F16], divF16)
}
