package kernel_test

import (
	"math"
	"testing"

	"planner/costmodel/kernel"
	"planner/hardware"
	"planner/hardware/unit"
)

// sheet returns a part by its data sheet: multiprocessors, GB/s, TFLOP/s at
// 16 and 8 bits.
func sheet(arch string, sms int, bandwidth, half, low float64) *hardware.Accelerator {
	a := &hardware.Accelerator{Arch: arch, SMs: sms, L2: 40 * unit.MiB,
		MemoryBandwidth: unit.BytesPerSecond(bandwidth) * unit.GBps}
	a.Peak[hardware.BF16] = unit.FLOPS(half) * unit.TFLOPS
	a.Peak[hardware.FP8] = unit.FLOPS(low) * unit.TFLOPS
	return a
}

var (
	a100 = sheet("ampere", 108, 2039, 312, 0)
	a40  = sheet("ampere", 108, 1555, 312, 0)
	h100 = sheet("hopper", 132, 3350, 989.4, 1978.9)
)

// Sources: Azure AI-benchmarking-guide at 8fd0c6e (ND A100 v4, ND H100 v5),
// EleutherAI cookbook at 827ee3b (transformer.out, A100 40 GB), DeepGEMM at
// 55ab91f, torch-performance-test-data (H100).
var knownProducts = []struct {
	name      string
	on        *hardware.Accelerator
	precision hardware.Precision
	m, n, k   float64
	us        float64
}{
	{"A100 cube of 8192", a100, hardware.FP16, 8192, 8192, 8192, 4333.90},
	{"A100 cube of 16384", a100, hardware.FP16, 16384, 16384, 16384, 34292.76},
	{"A100 6144x12288x12288", a100, hardware.FP16, 6144, 12288, 12288, 7398.03},
	{"A100 query-key-value", a40, hardware.FP16, 8192, 12288, 4096, 3412.99},
	{"A100 MLP down", a40, hardware.FP16, 8192, 4096, 16384, 4349.95},
	{"A100 logits", a40, hardware.FP16, 8192, 51200, 4096, 13454.36},
	{"H100 cube of 4096", h100, hardware.BF16, 4096, 4096, 4096, 174.26},
	{"H100 cube of 8192", h100, hardware.BF16, 8192, 8192, 8192, 1378.68},
	{"H100 fp8 cube of 8192", h100, hardware.FP8, 8192, 8192, 8192, 852.27},
	{"H100 fp8 cube of 16384", h100, hardware.FP8, 16384, 16384, 16384, 6386.48},
}

func TestKnownProducts(t *testing.T) {
	for _, c := range knownProducts {
		d := kernel.NewDevice(c.on, c.precision, load(t, c.on.Arch, ""))
		got := 1e6 * float64(d.Matmul(c.m, c.n, c.k))
		if math.Abs(got/c.us-1) > 0.12 {
			t.Errorf("%s: %.0f µs, published %.0f µs", c.name, got, c.us)
		}
	}
}

// Sources: charts of FlashAttention-2 (arXiv 2307.08691), A100, both
// directions, and of FlashAttention-3 (arXiv 2407.08608), H100, forward. 2048
// channels and 16 Ki tokens, rates on half of the square when causal.
var knownAttention = []struct {
	on       *hardware.Accelerator
	kernel   kernel.AttentionKernel
	seq, dim float64
	causal   bool
	both     bool
	tflops   float64
}{
	{a100, kernel.Flash2, 2048, 128, false, true, 187},
	{a100, kernel.Flash2, 8192, 128, true, true, 182},
	{a100, kernel.Flash2, 8192, 64, true, true, 165},
	{h100, kernel.Flash3, 8192, 128, false, false, 646},
	{h100, kernel.Flash3, 8192, 128, true, false, 602},
}

func TestKnownAttention(t *testing.T) {
	for _, c := range knownAttention {
		s := kernel.AttentionSpec{
			Batch: 16384 / c.seq, Heads: 2048 / c.dim, KVHeads: 2048 / c.dim, SeqQ: c.seq, SeqK: c.seq,
			DimQK: c.dim, DimV: c.dim, Causal: c.causal, Kernel: c.kernel,
		}
		fwd, bwd := kernel.NewDevice(c.on, hardware.BF16, load(t, c.on.Arch, "")).Attention(s)
		flops, time := 4*16384*c.seq*2048, float64(fwd)
		if c.causal {
			flops /= 2
		}
		if c.both {
			flops, time = 3.5*flops, float64(fwd+bwd)
		}
		if got := flops / time / 1e12; math.Abs(got/c.tflops-1) > 0.12 {
			t.Errorf("%s at %g tokens, dimension %g, causal %v: %.0f TFLOP/s, published %.0f",
				c.kernel, c.seq, c.dim, c.causal, got, c.tflops)
		}
	}
}

// Every architecture's constants must leave a product between a fifth and
// 1.1 of the paper peak: a slip of a digit in a file does not.
func TestEveryFileGivesASaneRate(t *testing.T) {
	for _, arch := range []string{"volta", "ampere", "ada", "hopper", "blackwell", "blackwell-ultra",
		"blackwell-sm120", "cdna2", "cdna3", "cdna4", "unheard-of"} {
		d := kernel.NewDevice(sheet(arch, 132, 3350, 989.4, 1978.9), hardware.BF16, load(t, arch, ""))
		if got := 2 * 8192 * 8192 * 8192 / float64(d.GEMM(8192, 8192, 8192)) / 989.4e12; got < 0.2 || got > 1.1 {
			t.Errorf("%s: a product of 8192 reaches %.2f of the peak", arch, got)
		}
		s := kernel.AttentionSpec{Batch: 1, Heads: 32, KVHeads: 8, SeqQ: 8192, SeqK: 8192, DimQK: 128, DimV: 128, Causal: true}
		for k := range kernel.NumAttentionKernels {
			s.Kernel = k
			if f, b := d.Attention(s); !(f > 0 && b > f && b < 1) {
				t.Errorf("%s: %s takes %v and %v", arch, k, f, b)
			}
		}
	}
}
