package kernel

import (
	"math"

	"planner/hardware/unit"
)

// SoftMax returns the p-norm of a and b, p = sharpness: a maximum with a
// rounded corner. A layer whose kernels take a on the GPU and whose launches
// take b on the host lasts SoftMax(a, b, p): the larger when they differ
// much, up to 2^(1/p) times it where they meet, because queues drain and fill
// in turns there. Sharpness 1 is the sum; it must be at least 1.
func SoftMax(a, b unit.Seconds, sharpness float64) unit.Seconds {
	hi, lo := float64(max(a, b)), float64(min(a, b))
	if lo <= 0 || math.IsInf(hi, 1) {
		return unit.Seconds(hi)
	}
	r := lo / hi
	switch sharpness {
	case 1:
		return a + b
	case 2:
		return unit.Seconds(hi * math.Sqrt(1+r*r))
	case 4:
		return unit.Seconds(norm4(hi, lo))
	}
	return unit.Seconds(hi * math.Pow(1+math.Pow(r, sharpness), 1/sharpness))
}
