package kernel

import (
	"math"
	"math/bits"

	"planner/hardware/unit"
)

// NumTiles is the number of output tiles that a product chooses from.
const NumTiles = 5

// tiles are the output tiles M×N of library kernels; Constants.Tiles rates
// them.
var tiles = [NumTiles]struct{ m, n float64 }{
	{256, 128}, {128, 256}, {128, 128}, {128, 64}, {64, 64},
}

// GEMM returns the time of C[m,n] = A[m,k]·B[k,n] with 16-bit inputs and
// result. In a format of 8 bits or fewer it includes quantising A (and its
// transposed copy for the weight gradient); B, the weight, is cast once a
// step. Use it for the forward product and the input gradient.
func (d *Device) GEMM(m, n, k float64) unit.Seconds {
	if n <= 0 {
		return 0
	}
	return unit.Seconds(d.low.product(d, 1, m, n, k, d.low.out) + d.quantise(m*k))
}

// Grouped returns the time of groups products [m,k]·[k,n] in one launch, m
// rows a group: the experts of one rank. It quantises as GEMM does.
func (d *Device) Grouped(groups int, m, n, k float64) unit.Seconds {
	if n <= 0 {
		return 0
	}
	g := float64(groups)
	return unit.Seconds(d.group(g, d.low.product(d, g, m, n, k, d.low.out)) + d.quantise(g*m*k))
}

// Matmul is GEMM with both operands already in the device's format.
func (d *Device) Matmul(m, n, k float64) unit.Seconds {
	return unit.Seconds(d.low.product(d, 1, m, n, k, d.low.out))
}

// Unaligned returns how much longer a product takes whose rows are width
// 16-bit elements apart. Tensor cores load 16 bytes at a time: rows that begin
// at 8, 4 or 2 bytes lose a third, two thirds or all of Constants.Unaligned - 1
// (NVIDIA, Matrix Multiplication Background User's Guide, section 3.1).
func (d *Device) Unaligned(width float64) float64 {
	lost := 3 - min(3, bits.TrailingZeros(uint(width)))
	return 1 + (d.unaligned-1)*float64(lost)/3
}

// accumulate is the traffic of adding a product to a 32-bit gradient: read
// and write.
const accumulate = 8

// WeightGrad returns the time of groups products that each add to a 32-bit
// gradient [m,n] over k tokens, from operands that GEMM has quantised. 1
// group is a dense layer.
func (d *Device) WeightGrad(groups int, m, n, k float64) unit.Seconds {
	g := float64(groups)
	t := d.low.product(d, g, m, n, k, accumulate)
	if groups > 1 {
		t = d.group(g, t)
	}
	return unit.Seconds(t)
}

// group turns the time of g like products side by side into that of a grouped
// kernel.
func (d *Device) group(g, t float64) float64 {
	if t <= 0 {
		return 0
	}
	return d.launch + (t-d.launch)/d.grouped + g*d.groupLaunch
}

// quantise returns the time of casting a 16-bit tensor to the device's format.
func (d *Device) quantise(elements float64) float64 {
	if d.low.cast <= 0 || elements <= 0 {
		return 0
	}
	return d.low.casts*d.launch + d.low.cast*elements/d.bandwidth
}

// product is the roofline: the 4-norm of compute and operand traffic.
//
//	compute = 2·g·m·n·k / (peak·e·q) · (1 + K0/k), see tiling
//	memory  = (g·(m·k + k·n)·in + g·m·n·out) / (bandwidth·share)
//
// docs/KERNELS.md holds it against 21,402 published measurements.
func (x *matrix) product(d *Device, g, m, n, k, out float64) float64 {
	if g*m*n*k <= 0 {
		return 0
	}
	return d.launch + norm4(x.legs(d, g, m, n, k, out))
}

// legs returns the times of the operations and of the operands of a product.
func (x *matrix) legs(d *Device, g, m, n, k, out float64) (compute, memory float64) {
	compute = 2 * (k + x.halfK) / x.rate * d.sms * x.tiling(d, g, m, n)
	return compute, g * ((m+n)*k*x.in + m*n*out) / d.operand
}

// Starved reports whether groups products [m,k]·[k,n] wait for their operands
// longer than they multiply.
func (d *Device) Starved(groups int, m, n, k float64) bool {
	g := float64(groups)
	compute, memory := d.low.legs(d, g, m, n, k, d.low.out)
	return memory > compute
}

// tiling returns the least over tiles of waves × tile area / rate, the
// result elements that each multiprocessor has time for: m·n·g/SMs divided by
// q, the product of edge loss, wave fill and relative rate.
func (x *matrix) tiling(d *Device, g, m, n float64) float64 {
	best := math.Inf(1)
	for i := range d.tiles {
		t := &d.tiles[i]
		// Tile sides are powers of two, so that their inverses are exact.
		w := g * math.Ceil(m*t.perM) * math.Ceil(n*t.perN) / d.sms
		if cost := waves(w, x.tail) * t.area; cost < best {
			best = cost
		}
	}
	return best
}

// waves returns how many times longer than one block a grid takes that fills
// the multiprocessors w times: whole waves when tail is 1, w when it is 0.
// Below half a wave, split-K deals the inner dimension to the idle ones.
func waves(w, tail float64) float64 {
	if w >= 0.5 {
		return wholeWaves(w, tail)
	}
	split := math.Floor(1 / w)
	return w + tail*(math.Ceil(w*split)-w*split)/split
}

func wholeWaves(w, tail float64) float64 { return w + tail*(math.Ceil(w)-w) }

func norm4(a, b float64) float64 {
	a, b = a*a, b*b
	return math.Sqrt(math.Sqrt(a*a + b*b))
}
