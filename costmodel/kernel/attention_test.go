package kernel

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"planner/hardware"
)

// pairsByCount walks the mask: query i of q sees keys up to its own position
// at the end of the k keys, and no further back than the window.
func pairsByCount(s *AttentionSpec) float64 {
	q, k, n := int(s.SeqQ), int(s.SeqK), 0
	for i := range q {
		at := k - q + i
		for j := range k {
			if s.Causal && j > at || s.Causal && s.Window > 0 && j <= at-s.Window {
				continue
			}
			n++
		}
	}
	return float64(n)
}

func TestPairsAgainstCount(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := rapid.IntRange(1, 60).Draw(t, "q")
		s := AttentionSpec{
			SeqQ: float64(q), SeqK: float64(q + rapid.IntRange(0, 60).Draw(t, "past")),
			Causal: rapid.Bool().Draw(t, "causal"), Window: rapid.IntRange(0, 130).Draw(t, "window"),
		}
		if !s.Causal {
			s.Window = 0
		}
		if got, want := s.Pairs(), pairsByCount(&s); math.Abs(got-want) > 1e-9 {
			t.Fatalf("%+v: %v pairs, counted %v", s, got, want)
		}
	})
}

// Attention of GPT-3 175B takes 4·b·s²·h forward in the unmasked convention
// of Korthikanti et al. (arXiv 2205.05198, appendix A): s = 2048, h = 12288.
func TestAttentionFLOPsOfGPT3(t *testing.T) {
	s := AttentionSpec{Batch: 1, Heads: 96, KVHeads: 96, SeqQ: 2048, SeqK: 2048, DimQK: 128, DimV: 128}
	if got, want := float64(s.FLOPs()), 4*2048.0*2048*12288; got != want {
		t.Errorf("%g FLOPs, want %g", got, want)
	}
}

func spec(t *rapid.T) AttentionSpec {
	seq := math.Exp2(rapid.Float64Range(7, 17).Draw(t, "log seq"))
	heads := float64(int(1) << rapid.IntRange(0, 6).Draw(t, "log heads"))
	dim := rapid.SampledFrom([]float64{64, 80, 96, 128, 192, 256}).Draw(t, "dim")
	return AttentionSpec{
		Batch: 1, Heads: heads, KVHeads: heads, SeqQ: seq, SeqK: seq, DimQK: dim, DimV: dim,
		Causal: true, Kernel: AttentionKernel(rapid.IntRange(0, int(Unfused)).Draw(t, "kernel")),
	}
}

func TestAttentionProperties(t *testing.T) {
	d := h100(hardware.BF16)
	rapid.Check(t, func(t *rapid.T) {
		s := spec(t)
		fwd, bwd := d.Attention(s)
		if float64(fwd) < float64(s.FLOPs())/989.4e12 || float64(bwd) < 2*float64(s.FLOPs())/989.4e12 {
			t.Fatalf("%+v: faster than the peak: %v, %v", s, fwd, bwd)
		}
		if bwd <= fwd {
			t.Fatalf("%+v: backward %v, forward %v", s, bwd, fwd)
		}
		longer := s
		longer.SeqQ, longer.SeqK = 2*s.SeqQ, 2*s.SeqK
		if f, _ := d.Attention(longer); f < fwd {
			t.Fatalf("%+v: %v at twice the length, %v before", s, f, fwd)
		}
		full := s
		full.Causal = false
		if f, _ := d.Attention(full); f < fwd {
			t.Fatalf("%+v: %v without a mask, %v with one", s, f, fwd)
		}
		window := s
		window.Window = int(s.SeqK / 4)
		if f, _ := d.Attention(window); s.Kernel.Fused() && f > fwd {
			t.Fatalf("%+v: %v with a window, %v without", s, f, fwd)
		}
	})
}

// Materialised scores of 32 heads at 8 Ki tokens and 35 bytes each are 75 GB
// a direction; a flash kernel moves none of them.
func TestUnfusedMovesItsScores(t *testing.T) {
	d := h100(hardware.BF16)
	s := AttentionSpec{Batch: 1, Heads: 32, KVHeads: 32, SeqQ: 8192, SeqK: 8192, DimQK: 128, DimV: 128, Causal: true}
	flash, _ := d.Attention(s)
	s.Kernel = FusedSoftmax
	fused, _ := d.Attention(s)
	s.Kernel = Unfused
	unfused, _ := d.Attention(s)
	if !(flash < fused && fused < unfused) {
		t.Errorf("flash %v, fused softmax %v, unfused %v", flash, fused, unfused)
	}
	if floor := 32 * 8192 * 8192 * 35 / 3.35e12; float64(unfused) < floor {
		t.Errorf("unfused %v, its traffic alone %g s", unfused, floor)
	}
}

func TestAttentionKernelSpellings(t *testing.T) {
	for k := range NumAttentionKernels {
		got, ok := ParseAttentionKernel(k.String())
		if !ok || got != k {
			t.Errorf("%q parses as %v, %v", k.String(), got, ok)
		}
	}
	if _, ok := ParseAttentionKernel("flash9"); ok {
		t.Error("flash9 parses")
	}
}

// With one head, one group and a chunk as long as the sequence, SSD is causal
// attention of dimensions N and P without softmax, 2·s·(N+P) a token, beside
// its state, 4·N·P a token (Dao and Gu, section 6).
func TestScanOfOneChunkIsAttention(t *testing.T) {
	const n, p, seq = 128, 64, 256
	scan := ScanSpec{Tokens: seq, Heads: 1, Groups: 1, DimK: n, DimV: p, Chunk: seq}
	att := AttentionSpec{Batch: 1, Heads: 1, SeqQ: seq, SeqK: seq, DimQK: n, DimV: p}
	want := float64(att.FLOPs()) + seq*4*n*p
	if got := float64(scan.FLOPs()); got != want {
		t.Errorf("%g FLOPs, want %g", got, want)
	}
}

func TestScanIsLinearInTokens(t *testing.T) {
	d := h100(hardware.BF16)
	for _, delta := range []bool{false, true} {
		s := ScanSpec{Tokens: 1 << 16, Heads: 64, Groups: 8, DimK: 128, DimV: 64, Delta: delta}
		f1, b1 := d.Scan(s)
		s.Tokens *= 8
		f8, b8 := d.Scan(s)
		if r := float64(f8 / f1); math.Abs(r-8) > 0.01 {
			t.Errorf("delta %v: forward grows %v-fold with 8 times the tokens", delta, r)
		}
		if !(b1 > f1 && b8 > f8) {
			t.Errorf("delta %v: backward is not the longer", delta)
		}
	}
}
