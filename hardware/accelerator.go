package hardware

import (
	"planner/hardware/unit"
)

// Precision is the number format of the matrix multiplications of a step.
type Precision uint8

// The precisions that a plan can be made for. FP8 stands for tensor- or
// block-wise scaled 8-bit formats, MXFP8 and NVFP4 for micro-scaled ones.
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

	Memory          unit.Bytes // as sold
	Usable          unit.Bytes // what the driver lets one process use
	MemoryBandwidth unit.BytesPerSecond

	// Peak holds dense peaks by precision; 0 where the part lacks the format.
	Peak [numPrecisions]unit.FLOPS

	SMs   int // streaming multiprocessors, or compute units
	L2    unit.Bytes
	Power unit.Watts
	PCIe  unit.BytesPerSecond // host link, one direction

	// Fit holds the fitted constants of the part's generation; see
	// presets/hardware and docs/ACCURACY.md.
	Fit Efficiency

	Source, AsOf string
}

// PeakOf returns the dense peak at p, falling back to the widest format the
// part has when it lacks p (fp8 on an A100 runs as bf16).
func (a *Accelerator) PeakOf(p Precision) unit.FLOPS {
	for _, q := range fallback[p] {
		if a.Peak[q] > 0 {
			return a.Peak[q]
		}
	}
	return a.Peak[FP32]
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
// nominal figure unless said otherwise.
type Efficiency struct {
	GEMM      float64 // large-GEMM share of the dense bf16/fp16 peak
	GEMMFP8   float64 // the same for 8-bit formats, of the 8-bit peak
	GEMMFP4   float64 // the same for 4-bit formats
	GEMMHalfK float64 // K at which a GEMM reaches half of its limit rate, elements
	Memory    float64 // sustained share of the memory bandwidth
	// Flash is the share of the bf16 peak that fused attention reaches on
	// causal FLOPs, by kernel generation 1, 2, 3 (index 0: the part's usual).
	Flash [4]float64
	// Launch is the device-side floor of one kernel, seconds.
	Launch unit.Seconds
}
