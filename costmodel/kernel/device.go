package kernel

import (
	"math"

	"planner/hardware"
	"planner/hardware/unit"
)

// Device prices kernels of one precision on one accelerator. It is read-only
// once built and safe for concurrent use.
type Device struct {
	low, half matrix // products at the step's precision, and at 16 bits

	bandwidth float64 // sustained memory bandwidth, B/s
	operand   float64 // the same for the operands of products, B/s
	l2Rate    float64 // bandwidth of the L2, B/s
	l2        float64 // bytes that stay in the L2 between kernels
	ramp      float64 // bytes
	launch    float64 // s
	sms       float64

	unaligned   float64
	grouped     float64
	groupLaunch float64 // s
	tiles       [NumTiles]tile

	flash  [NumAttentionKernels]Flash
	scores [2]float64 // bytes per score: fused, unfused
	scan   float64    // FLOP/s
}

// tile is an output tile: the inverses of its sides, and its area over its
// relative rate.
type tile struct {
	perM, perN, area float64
}

// matrix is one number format's side of the product roofline.
type matrix struct {
	rate  float64 // peak times share, FLOP/s
	halfK float64
	tail  float64
	in    float64 // bytes of an operand element
	out   float64 // bytes of a result element
	cast  float64 // bytes per element of the left operand
	casts float64 // kernels that quantising takes
}

// NewDevice builds the device for a at precision p. A precision that a lacks
// runs at the widest format below it, as PeakOf says.
func NewDevice(a *hardware.Accelerator, p hardware.Precision, c Constants) *Device {
	d := &Device{
		bandwidth: float64(a.MemoryBandwidth) * c.Memory,
		l2Rate:    float64(a.MemoryBandwidth) * math.Max(c.L2, c.Memory),
		l2:        float64(a.L2) / 2, // the other half holds what other tensors left
		ramp:      float64(c.Ramp),
		launch:    float64(c.Launch),
		sms:       math.Max(1, float64(a.SMs)),
		operand:   float64(a.MemoryBandwidth) * c.Operand,
		grouped:   c.Grouped,
		unaligned: math.Max(1, c.Unaligned),

		groupLaunch: float64(c.GroupLaunch),
		scores:      [2]float64{c.ScoreFused, c.ScoreUnfused},
	}
	for i, t := range tiles {
		d.tiles[i] = tile{perM: 1 / t.m, perN: 1 / t.n, area: t.m * t.n / c.Tiles[i]}
	}
	half := hardware.BF16
	if p == hardware.FP32 {
		half = p
	}
	d.low, d.half = newMatrix(a, p, &c), newMatrix(a, half, &c)
	d.setFlash(&c, float64(a.PeakOf(half)))
	d.scan = float64(a.PeakOf(half)) * c.Scan
	return d
}

// newMatrix sets up the roofline of precision p. Low-bit products write 16 bits.
func newMatrix(a *hardware.Accelerator, p hardware.Precision, c *Constants) matrix {
	f := c.formatOf(a, p)
	in := c.width(f)
	return matrix{
		rate:  float64(a.PeakOf(p)) * f.Peak,
		halfK: f.HalfK,
		tail:  f.Tail,
		in:    in,
		out:   math.Max(in, 2),
		cast:  f.Cast,
		casts: f.CastKernels,
	}
}

// setFlash fills the table of fused kernels in FLOP/s: shares times peak.
func (d *Device) setFlash(c *Constants, peak float64) {
	for i, f := range c.Attention {
		if f.Fwd <= 0 {
			f = c.Attention[c.Usual]
		}
		f.Fwd *= peak
		f.Bwd *= peak
		f.Dim64, f.Dim192, f.Dim256 = orOne(f.Dim64), orOne(f.Dim192), orOne(f.Dim256)
		d.flash[i] = f
	}
}

func orOne(v float64) float64 {
	if v > 0 {
		return v
	}
	return 1
}

// Launch returns the device-side floor of one kernel.
func (d *Device) Launch() unit.Seconds { return unit.Seconds(d.launch) }

// Stream returns the time of a memory-bound kernel that moves b bytes, reads
// and writes together: norms, activations, residuals, softmax, optimizer.
// What fits the L2 moves at its rate, as the kernel before has left it there.
func (d *Device) Stream(b unit.Bytes) unit.Seconds {
	if b <= 0 {
		return 0
	}
	return unit.Seconds(d.launch + d.move(float64(b)))
}

func (d *Device) move(b float64) float64 {
	near := math.Min(b, d.l2)
	return near/d.l2Rate + (b-near)/d.bandwidth + math.Min(b, d.ramp)/d.bandwidth
}
