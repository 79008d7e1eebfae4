package kernel

import (
	"planner/hardware"
	"planner/hardware/unit"
)

// Constants holds what the kernels of one architecture reach of its paper
// figures. All shares are dimensionless fractions in (0, 1.2].
type Constants struct {
	Arch string // as hardware.Accelerator.Arch, or "generic"

	// Half, Byte, Nibble and Single hold the matrix formats of 16, 8, 4 and
	// 32 bits; Block is 8 bits with a scale for each 128 elements.
	Half, Byte, Block, Nibble, Single Format

	// Tiles holds the rate of each output tile of a matrix product relative
	// to the fastest, in the order of tiles.
	Tiles [NumTiles]float64

	// Unaligned is the time of a 16-bit product whose rows begin at odd
	// elements over that of one whose rows begin at multiples of 16 bytes.
	Unaligned float64

	// Operand is the share of the memory bandwidth at which a product reads
	// its operands and writes its result once.
	Operand float64
	// Memory is the sustained share of the memory bandwidth of kernels that
	// stream.
	Memory float64
	// L2 is the bandwidth of the second-level cache over that of the memory.
	L2 float64
	// Ramp is the amount of traffic at which a streaming kernel reaches half
	// of its sustained rate.
	Ramp unit.Bytes
	// Launch is the floor of one kernel on the device side, the host's cost
	// of launching it not included.
	Launch unit.Seconds

	// Grouped is the rate of a grouped product over that of a plain one with
	// as many tiles, GroupLaunch the extra floor of each group.
	Grouped     float64
	GroupLaunch unit.Seconds

	// Attention holds the fused attention kernels, by AttentionKernel; a
	// zero entry falls back to Usual.
	Attention [NumAttentionKernels]Flash
	// Usual is the fused kernel that frameworks pick on this part.
	Usual AttentionKernel
	// Score is the traffic of softmax, mask and dropout per attention score
	// and direction when scores are materialised, fused and unfused, in bytes.
	ScoreFused, ScoreUnfused float64
	// Scan is the share of the 16-bit peak that chunked linear-attention and
	// Mamba-2 kernels reach.
	Scan float64
}

// Format holds what matrix products of one number format reach.
type Format struct {
	// Peak is the share e of the format's dense peak that a large product
	// sustains before shape losses.
	Peak float64 `toml:"peak"`
	// HalfK is the inner dimension K0, in elements, at which a product
	// reaches half of its limit rate: rate ∝ K/(K+K0).
	HalfK float64 `toml:"half_k"`
	// Tail is the share of the idle part of the last wave that is really
	// lost: 1 for whole waves, 0 for perfect stream-K balancing.
	Tail float64 `toml:"tail"`
	// Cast is the traffic of quantising one element of the left operand from
	// 16 bits, in bytes: read, write and a transposed copy. 0 for formats of
	// 16 bits and more.
	Cast float64 `toml:"cast_bytes"`
	// CastKernels is the number of kernels that quantising takes (largest
	// value, scale, cast).
	CastKernels float64 `toml:"cast_kernels"`
}

// Flash holds one generation of fused attention kernels. Shares are of the
// 16-bit dense peak, on the FLOPs that the mask leaves.
type Flash struct {
	// Fwd and Bwd are the shares at long sequences, head dimension 128.
	Fwd float64 `toml:"fwd"`
	Bwd float64 `toml:"bwd"`
	// HalfKeys is the number of keys per query at which the share has halved.
	HalfKeys float64 `toml:"half_keys"`
	// Tail is as in Format, over blocks of 128 queries of one head.
	Tail float64 `toml:"tail"`
	// Dim64, Dim192 and Dim256 are the rates at head dimensions up to 64,
	// from 129 to 192 (multi-head latent attention) and above, over that at
	// 128. 0 means 1.
	Dim64  float64 `toml:"dim64"`
	Dim192 float64 `toml:"dim192"`
	Dim256 float64 `toml:"dim256"`
}

// With returns c with the non-zero figures of f in place of its own: what a
// fit on training runs, or a calibration of one cluster, found for a part.
func (c Constants) With(f hardware.Efficiency) Constants {
	set(&c.Half.Peak, f.GEMM)
	set(&c.Byte.Peak, f.GEMMFP8)
	set(&c.Block.Peak, f.GEMMFP8)
	set(&c.Nibble.Peak, f.GEMMFP4)
	// Formats of fewer bits need twice the K: research of published runs.
	set(&c.Half.HalfK, f.GEMMHalfK)
	set(&c.Byte.HalfK, 2*f.GEMMHalfK)
	set(&c.Block.HalfK, 2*f.GEMMHalfK)
	set(&c.Nibble.HalfK, 2*f.GEMMHalfK)
	set(&c.Memory, f.Memory)
	if f.Launch > 0 {
		c.Launch = f.Launch
	}
	for i, k := range [...]AttentionKernel{Flash1, Flash2, Flash3} {
		c.Attention[k].scale(f.Flash[i+1])
	}
	c.Attention[Triton].scale(f.FlashTriton)
	c.Attention[TE].scale(f.Flash[0]) // frameworks of the fit call through it
	c.Attention[c.Usual].scale(f.Flash[0])
	return c
}

// runKeys is the mean number of keys of a query in the runs that
// hardware.Efficiency.Flash was fitted on: causal sequences of 2 to 8 Ki.
const runKeys = 2048

// scale multiplies both directions so that together, at runKeys keys, they
// reach the share v.
func (f *Flash) scale(v float64) {
	if v <= 0 || f.Fwd <= 0 || f.Bwd <= 0 {
		return
	}
	both := 3.5 / (1/f.Fwd + 2.5/f.Bwd) * runKeys / (runKeys + f.HalfKeys)
	f.Fwd *= v / both
	f.Bwd *= v / both
}

func set(dst *float64, v float64) {
	if v > 0 {
		*dst = v
	}
}

// formatOf returns the format that precision p runs in on a: a part without
// it runs at 16 bits.
func (c *Constants) formatOf(a *hardware.Accelerator, p hardware.Precision) *Format {
	switch {
	case p == hardware.FP32:
		return &c.Single
	case a.PeakOf(p) <= a.PeakOf(hardware.BF16):
		return &c.Half
	case p == hardware.NVFP4 && a.Peak[p] > 0 && c.Nibble.Peak > 0:
		return &c.Nibble
	case p == hardware.FP8Block && c.Block.Peak > 0:
		return &c.Block
	case p != hardware.BF16 && p != hardware.FP16 && c.Byte.Peak > 0:
		return &c.Byte
	}
	return &c.Half
}

// width returns the bytes of an element of f, scales included.
func (c *Constants) width(f *Format) float64 {
	switch f {
	case &c.Single:
		return 4
	case &c.Byte, &c.Block:
		return 1
	case &c.Nibble:
		return 0.5625 // 4 bits, and 8 bits of scale for 16 elements
	}
	return 2
}
