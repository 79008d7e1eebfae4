package kernel

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"planner/hardware"
	"planner/hardware/unit"
)

func size(t *rapid.T, name string) float64 {
	return math.Exp2(rapid.Float64Range(0, 17).Draw(t, name))
}

// A product can be no faster than the paper peak and bandwidth allow: 989.4
// TFLOP/s and 3.35 TB/s, NVIDIA's H100 SXM data sheet.
func TestGEMMNotFasterThanPaper(t *testing.T) {
	d, low := h100(hardware.BF16), h100(hardware.FP8)
	rapid.Check(t, func(t *rapid.T) {
		m, n, k := size(t, "m"), size(t, "n"), size(t, "k")
		bytes := 2 * (m*k + k*n + m*n)
		floor := math.Max(2*m*n*k/989.4e12, bytes/3.35e12)
		if got := float64(d.GEMM(m, n, k)); got < floor {
			t.Fatalf("%g s for %gx%gx%g, paper %g s", got, m, n, k, floor)
		}
		if got := float64(low.GEMM(m, n, k)); got < 2*m*n*k/1978.9e12 {
			t.Fatalf("fp8: %g s for %gx%gx%g", got, m, n, k)
		}
	})
}

func TestGEMMGrowsWithEachDimension(t *testing.T) {
	d := h100(hardware.FP8)
	rapid.Check(t, func(t *rapid.T) {
		m, n, k := size(t, "m"), size(t, "n"), size(t, "k")
		more := rapid.Float64Range(1, 4).Draw(t, "more")
		base := d.GEMM(m, n, k)
		for _, got := range []unit.Seconds{d.GEMM(m*more, n, k), d.GEMM(m, n*more, k), d.GEMM(m, n, k*more)} {
			if float64(got) < float64(base)*(1-1e-12) {
				t.Fatalf("%v after growth by %g, %v before", got, more, base)
			}
		}
	})
}

// 132 tiles of 128x256 fill an H100 once; the 133rd needs a second wave.
func TestWaveQuantisation(t *testing.T) {
	d := h100(hardware.BF16)
	rate := func(m float64) float64 { return m * 256 * 8192 / float64(d.GEMM(m, 256, 8192)) }
	full, over := rate(132*128), rate(133*128)
	if over > 0.8*full {
		t.Errorf("rate %g at 133 tiles, %g at 132: no second wave to be seen", over, full)
	}
	c := rounded()
	c.Half.Tail = 1e-9
	smooth := NewDevice(&hardware.Accelerator{SMs: 132, MemoryBandwidth: 3350 * unit.GBps,
		Peak: h100Peak()}, hardware.BF16, c)
	if a, b := smooth.GEMM(132*128, 256, 8192), smooth.GEMM(133*128, 256, 8192); b > a.Times(1.02) {
		t.Errorf("stream-K: %v at 133 tiles, %v at 132", b, a)
	}
}

// At K = K0 a product runs at half of its limit rate.
func TestSmallKIsSlow(t *testing.T) {
	c := rounded()
	c.Launch, c.Operand = 0, 1e6 // compute alone
	d := NewDevice(&hardware.Accelerator{SMs: 132, MemoryBandwidth: 3350 * unit.GBps,
		Peak: h100Peak()}, hardware.BF16, c)
	rate := func(k float64) float64 { return k / float64(d.GEMM(8192, 8192, k)) }
	if got := rate(c.Half.HalfK) / rate(1e9); math.Abs(got-0.5) > 1e-3 {
		t.Errorf("rate at K0 is %.4f of the limit, want 0.5", got)
	}
}

func TestSkinnyProductIsBoundByItsWeights(t *testing.T) {
	d := h100(hardware.BF16)
	weights := 2 * 8192 * 8192 / (3.35e12 * 0.8)
	got := float64(d.GEMM(1, 8192, 8192) - d.Launch())
	if got < weights || got > 1.1*weights {
		t.Errorf("one row: %g s, its weights alone take %g s", got, weights)
	}
}

func TestGroupedAgainstPlain(t *testing.T) {
	d := h100(hardware.BF16)
	rapid.Check(t, func(t *rapid.T) {
		g := rapid.IntRange(1, 64).Draw(t, "groups")
		m, n, k := size(t, "m"), size(t, "n"), size(t, "k")
		one, all := d.GEMM(m, n, k), d.Grouped(g, m, n, k)
		// Groups leave no room for split-K, which costs up to a wave.
		if all > one.Times(2*float64(g)/0.9) {
			t.Fatalf("%d groups take %v, one at a time %v", g, all, one.Times(float64(g)))
		}
		if fused := d.GEMM(m*float64(g), n, k); all < fused {
			t.Fatalf("%d groups take %v, less than one product of all rows, %v", g, all, fused)
		}
	})
}

func TestWeightGradWritesThirtyTwoBits(t *testing.T) {
	d := h100(hardware.BF16)
	small, plain := d.WeightGrad(1, 8192, 8192, 16), d.Matmul(8192, 8192, 16)
	if small < plain.Times(2) {
		t.Errorf("accumulating a 16-token gradient takes %v, a 16-bit product %v: want 8 bytes a result for 2", small, plain)
	}
}

func TestNothingTakesNoTime(t *testing.T) {
	d := h100(hardware.FP8)
	f, b := d.Attention(AttentionSpec{})
	sf, sb := d.Scan(ScanSpec{})
	for i, got := range []unit.Seconds{
		d.GEMM(0, 1, 1), d.GEMM(1, 0, 1), d.Matmul(1, 1, 0), d.Grouped(0, 1, 1, 1), d.Grouped(2, 0, 1, 1),
		d.WeightGrad(0, 1, 1, 1), d.Stream(0), f, b, sf, sb,
	} {
		if got != 0 {
			t.Errorf("case %d takes %v", i, got)
		}
	}
}

// A precision that a part lacks runs at 16 bits: an A100 has no fp8.
func TestMissingFormatRunsAtSixteenBits(t *testing.T) {
	a := &hardware.Accelerator{SMs: 108, MemoryBandwidth: 2039 * unit.GBps}
	a.Peak[hardware.BF16] = 312 * unit.TFLOPS
	want := NewDevice(a, hardware.BF16, rounded()).GEMM(4096, 4096, 4096)
	for _, p := range []hardware.Precision{hardware.FP16, hardware.FP8, hardware.FP8Block, hardware.MXFP8, hardware.NVFP4} {
		if got := NewDevice(a, p, rounded()).GEMM(4096, 4096, 4096); got != want {
			t.Errorf("%v: %v, want %v", p, got, want)
		}
	}
}

func TestCallsDoNotAllocate(t *testing.T) {
	d := h100(hardware.FP8)
	s := AttentionSpec{Batch: 1, Heads: 8, KVHeads: 1, SeqQ: 8192, SeqK: 8192, DimQK: 128, DimV: 128, Causal: true}
	n := testing.AllocsPerRun(100, func() {
		f, b := d.Attention(s)
		sink += d.GEMM(1024, 1024, 1024) + d.Grouped(8, 512, 512, 512) + d.Stream(1e6) + f + b
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
}
