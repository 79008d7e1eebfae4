package hardware

import (
	"planner/hardware/unit"
)

// Precision is the number format of the matrix multiplications of a step.
type Precision uint8

// The precisions that a plan can be made for. FP8 has one scale a tensor,
// FP8Block one a block (DeepSeek-V3's 1×128 and 128×128); MXFP8 and NVFP4 are
// micro-scaled, every 32 and 16 elements.
const (
	BF16 Precision = iota
	FP16
	FP8
	FP8Block
	MXFP8
	NVFP4
	FP32
	numPrecisions
)

var precisionNames = [numPrecisions]string{"bf16", "fp16", "fp8", "fp8-block", "mxfp8", "nvfp4", "fp32"}

// String returns the spelling used on the command line.
func (p Precision) String() string { return precisionNames[p] }

// Precisions returns every spelling, in order.
func Precisions() []string { return precisionNames[:] }

// ParsePrecision reads a spelling of Precisions.
func ParsePrecision(s string) (Precision, bool) {
	for i, n := range precisionNames {
		if n == s {
			return Precision(i), true
		}
	}
	return 0, false
}

// Accelerator is one GPU as a process sees it. An MI250X is two: one per GCD.
type Accelerator struct {
	Name   string // preset name, such as "h100-sxm-80gb"
	Title  string // as people write it, such as "H100 SXM 80 GB"
	Vendor string // "nvidia" or "amd"
	Arch   string // "volta", "ampere", "ada", "hopper", "blackwell", "cdna2", "cdna3", …
	Year   int    // of release

	Memory          unit.Bytes // as sold; what vendors print as GB of memory are GiB
	Usable          unit.Bytes // what the driver lets one process use
	MemoryBandwidth unit.BytesPerSecond

	// Peak holds dense peaks by precision; 0 where the part lacks the format.
	Peak [numPrecisions]unit.FLOPS
	// TF32 is the dense peak at which fp32 inputs run when TF32 is allowed.
	TF32 unit.FLOPS

	SMs   int // streaming multiprocessors, or compute units
	Clock unit.Hertz
	L2    unit.Bytes
	Power unit.Watts
	PCIe  unit.BytesPerSecond // host link, one direction
	Link  Link

	// Best holds the best published measurements; 0 where there is none. Shown
	// to users, not used in predictions.
	Best struct {
		BF16, FP8 unit.FLOPS
		Copy      unit.BytesPerSecond
	}

	// Fit holds the fitted constants of the part's generation: see
	// presets/hardware/fit.toml.
	Fit Efficiency

	Source, AsOf string
	Note         string
}

// Link is the fabric port of an accelerator: all its links to peers together.
// The zero Link means PCIe alone.
type Link struct {
	Kind      LinkKind
	Count     int                 // links of one device; 0: not known
	Each      unit.BytesPerSecond // one link, one direction
	Bandwidth unit.BytesPerSecond // all links, one direction
	Bridge    bool                // joins pairs of cards only
}

// PeakOf returns the dense peak at p, as the part runs it.
func (a *Accelerator) PeakOf(p Precision) unit.FLOPS { return a.Peak[a.RunsAs(p)] }

// RunsAs returns the format in which the part computes a step at p: p, or where
// it lacks p the first of fallback that it has (nvfp4 on an H100 runs as fp8, fp8
// on an A100 as bf16).
func (a *Accelerator) RunsAs(p Precision) Precision {
	for _, q := range fallback[p] {
		if a.Peak[q] > 0 {
			return q
		}
	}
	return FP32
}

var fallback = [numPrecisions][]Precision{
	BF16:     {BF16, FP16},
	FP16:     {FP16, BF16},
	FP8:      {FP8, BF16, FP16},
	FP8Block: {FP8Block, FP8, BF16, FP16},
	MXFP8:    {MXFP8, FP8, BF16, FP16},
	NVFP4:    {NVFP4, FP8, BF16, FP16},
	FP32:     {FP32},
}

// Efficiency holds what paper figures leave out of an accelerator: the share
// of its peaks that kernels reach. All are dimensionless fractions of the
// nominal figure unless said otherwise. A field without a fitted value is 0.
type Efficiency struct {
	// GEMM is the large-GEMM share of the dense bf16/fp16 peak, before the
	// losses of the shape; GEMMFP8 and GEMMFP4 the same for 8-bit and 4-bit
	// formats, of their own peaks.
	GEMM    float64 `toml:"gemm"`
	GEMMFP8 float64 `toml:"gemm_fp8"`
	GEMMFP4 float64 `toml:"gemm_fp4"`
	// GEMMHalfK is the K at which a GEMM reaches half of its limit rate, in
	// elements; 8-bit formats take twice as much.
	GEMMHalfK float64 `toml:"gemm_half_k"`
	// Memory is the sustained share of the memory bandwidth.
	Memory float64 `toml:"memory"`
	// Boost is the share of the time that a pipeline leaves idle which comes
	// back as higher clocks: a part at its power limit sustains more of its
	// clock when it rests in between.
	Boost float64 `toml:"boost"`
	// Flash is the share of the bf16 peak that fused attention reaches on
	// causal FLOPs, by kernel generation 1, 2, 3 (index 0: the part's usual).
	Flash [4]float64 `toml:"flash"`
	// FlashTriton is the same of FlashAttention 1 in Triton.
	FlashTriton float64 `toml:"flash_triton"`
	// Correction is a measured step over its prediction, from one run of this
	// very cluster (`planner calibrate --from`); 0: none.
	Correction float64 `toml:"correction"`
	// Spread is the lowest and the highest of several measured steps over their
	// corrected predictions, where one factor does not bring them together: the
	// band is no narrower; 0: none.
	Spread [2]float64 `toml:"spread"`
	// Launch is the device-side floor of one kernel.
	Launch unit.Seconds `toml:"launch"`
}
