package kernel

import (
	"math"

	"planner/hardware/unit"
)

// NumTiles is the number of output tiles that a product chooses from.
const NumTiles = 5

// tiles are the output tiles M×N of library kernels; Constants.Tiles rates
// them.
var tiles = [NumTiles]struct{ m, n float64 }{
	{256, 128}, {128, 256}, {128, 128}, {128, 64}, {64, 64},
}

// TileShapes returns the output tiles in the order of Constants.Tiles.
func TileShapes() [NumTiles][2]float64 {
	var s [NumTiles][2]float64
	for i, t := range tiles {
		s[i] = [2]float64{t.m, t.n}
	}
	return s
}

// GEMM returns the time of C[m,n] = A[m,k]·B[k,n] with 16-bit inputs and
// result. In a format of 8 bits or fewer it includes quantising A (and its
// transposed copy for the weight gradient); B, the weight, is cast once a
// step. Use it for the forward product and the input gradient.
func (d *Device) GEMM(m, n, k float64) unit.Seconds {
	t := d.low.product(d, 1, m, n, k)
	if d.low.cast > 0 {
		t += d.launch + d.move(d.low.cast*m*k)
	}
	return unit.Seconds(t)
}

// Matmul is GEMM with both operands already in the device's format, as in the
// weight gradient, which reads the copies that the other two products made.
func (d *Device) Matmul(m, n, k float64) unit.Seconds {
	return unit.Seconds(d.low.product(d, 1, m, n, k))
}

// Grouped returns the time of groups products [m,k]·[k,n] in one launch, m
// rows a group: the experts of one rank.
func (d *Device) Grouped(groups int, m, n, k float64) unit.Seconds {
	g := float64(groups)
	t := d.low.product(d, g, m, n, k) / d.grouped
	if d.low.cast > 0 {
		t += d.launch + d.move(d.low.cast*g*m*k)
	}
	return unit.Seconds(t)
}

// product is the roofline: the 4-norm of compute and operand traffic.
//
//	compute = 2·g·m·n·k / (peak·e·q(m,n)) · (1 + K0/k)
//	memory  = g·(m·k + k·n)·in + g·m·n·out over the sustained bandwidth
//
// Source: research of published runs and kernel tables, docs/KERNELS.md.
func (x *matrix) product(d *Device, g, m, n, k float64) float64 {
	if g*m*n*k <= 0 {
		return 0
	}
	compute := 2 * g * m * n * (k + x.halfK) / (x.rate * d.quality(g, m, n))
	memory := g * ((m+n)*k*x.in + m*n*x.out) / d.bandwidth
	return d.launch + norm4(compute, memory)
}

// quality returns q, the share of the limit rate that tiling leaves: the best
// over tiles of rate × edge loss × wave fill. Below half a wave, split-K
// deals the inner dimension to the idle multiprocessors.
func (d *Device) quality(g, m, n float64) float64 {
	best, area := 0.0, g*m*n
	for i := range tiles {
		t := &tiles[i]
		count := g * math.Ceil(m/t.m) * math.Ceil(n/t.n)
		edge := area / (count * t.m * t.n)
		best = math.Max(best, d.rates[i]*edge*d.fill(count))
	}
	return best
}

// fill returns the busy share of the multiprocessors when count equal blocks
// run in waves, with split-K below half a wave.
func (d *Device) fill(count float64) float64 {
	waves := count / d.sms
	if waves < 0.5 {
		waves *= math.Floor(1 / waves)
	}
	return waves / (waves + d.tail*(math.Ceil(waves)-waves))
}

func norm4(a, b float64) float64 {
	a, b = a*a, b*b
	return math.Sqrt(math.Sqrt(a*a + b*b))
}
