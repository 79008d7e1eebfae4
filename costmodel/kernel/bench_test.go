package kernel

import (
	"testing"

	"planner/hardware"
	"planner/hardware/unit"
)

// h100 is an H100 SXM by its data sheet (NVIDIA, 2023), with the H100 figures
// of published training runs rounded: the tests here are of the formulas.
func h100(p hardware.Precision) *Device {
	a := &hardware.Accelerator{
		Name: "h100", Arch: "hopper", SMs: 132, L2: 50 * unit.MiB,
		MemoryBandwidth: 3350 * unit.GBps, Peak: h100Peak(),
	}
	return NewDevice(a, p, rounded())
}

func h100Peak() (peak [len(hardware.Accelerator{}.Peak)]unit.FLOPS) {
	peak[hardware.BF16] = 989.4 * unit.TFLOPS
	peak[hardware.FP8] = 1978.9 * unit.TFLOPS
	return peak
}

func rounded() Constants {
	c := Constants{
		Arch:   "hopper",
		Half:   Format{Peak: 0.76, HalfK: 250, Tail: 1},
		Byte:   Format{Peak: 0.68, HalfK: 500, Tail: 1, Cast: 4, CastKernels: 2},
		Tiles:  [NumTiles]float64{1, 1, 0.93, 0.78, 0.58},
		Memory: 0.84, Operand: 0.8, L2: 2, Ramp: 2e6, Launch: 3e-6, Grouped: 0.9,
		Usual: Flash3, ScoreFused: 15, ScoreUnfused: 35, Scan: 0.2,
	}
	c.Attention[Flash2] = Flash{Fwd: 0.35, Bwd: 0.32, HalfKeys: 256, Dim64: 0.9}
	c.Attention[Flash3] = Flash{Fwd: 0.65, Bwd: 0.5, HalfKeys: 512, Dim64: 0.75}
	return c
}

var sink unit.Seconds

func BenchmarkGEMM(b *testing.B) {
	d := h100(hardware.BF16)
	b.ReportAllocs()
	for i := range b.N {
		sink += d.GEMM(float64(1024+i&1023), 8192, 4096)
	}
}

func BenchmarkGrouped(b *testing.B) {
	d := h100(hardware.FP8)
	b.ReportAllocs()
	for i := range b.N {
		sink += d.Grouped(8, float64(1024+i&1023), 2048, 4096)
	}
}

func BenchmarkAttention(b *testing.B) {
	d := h100(hardware.BF16)
	s := AttentionSpec{Batch: 1, Heads: 8, KVHeads: 1, DimQK: 128, DimV: 128, Causal: true, Kernel: Flash3}
	b.ReportAllocs()
	for i := range b.N {
		s.SeqQ = float64(4096 + i&4095)
		s.SeqK = s.SeqQ
		f, w := d.Attention(s)
		sink += f + w
	}
}

func BenchmarkStream(b *testing.B) {
	d := h100(hardware.BF16)
	b.ReportAllocs()
	for i := range b.N {
		sink += d.Stream(unit.Bytes(1e6 + i&1023))
	}
}
