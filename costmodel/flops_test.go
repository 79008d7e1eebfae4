package costmodel

import (
	"math"
	"testing"

	"planner/hardware/unit"

	"pgregory.net/rapid"
)

// Llama 3.1 70B at 8192 tokens, by hand: 6·(70,553,706,496 − 128,256·8192) +
// 12·80·64·128·8192.
func TestFLOPsPerToken(t *testing.T) {
	total, attention := llama70().FLOPsPerToken(8192)
	if want := unit.FLOPs(12 * 80 * 64 * 128 * 8192); attention != want {
		t.Errorf("attention = %g, want %g", float64(attention), float64(want))
	}
	if want := unit.FLOPs(6*(70_553_706_496-128_256*8192) + 12*80*64*128*8192); total != want {
		t.Errorf("total = %g, want %g", float64(total), float64(want))
	}
}

// Tying drops parameters and no work; learned positions are looked up.
func TestFLOPsOfLookUps(t *testing.T) {
	m := llama70()
	want, _ := m.FLOPsPerToken(4096)
	m.Tied, m.Positions = true, 4096
	if got, _ := m.FLOPsPerToken(4096); got != want {
		t.Errorf("tied with learned positions: %g, want %g", float64(got), float64(want))
	}
}

func TestSpan(t *testing.T) {
	for _, tt := range []struct {
		mixer Mixer
		seq   int
		want  int
	}{
		{Mixer{}, 8192, 8192}, {Mixer{Window: 128}, 8192, 128}, {Mixer{Window: 128}, 64, 64},
		{Mixer{IndexTopK: 2048}, 8192, 2048}, {Mixer{IndexTopK: 2048}, 1024, 1024},
	} {
		if got := tt.mixer.Span(tt.seq); got != tt.want {
			t.Errorf("%+v.Span(%d) = %d, want %d", tt.mixer, tt.seq, got, tt.want)
		}
	}
}

// Queries and values of different widths: DeepSeek-V3's latent attention does
// 2·128·(192 + 128) FLOPs a key forward, three times that with backward.
func TestFLOPsOfLatentAttention(t *testing.T) {
	x := Mixer{Kind: MLA, Heads: 128, HeadDim: 192, VHeadDim: 128}
	if got, want := x.scoreFLOPs(4096), 3*2*128*(192+128)*4096.0; got != want {
		t.Errorf("scores = %g, want %g", got, want)
	}
}

// Work never shrinks with the sequence, and grows by attention alone.
func TestFLOPsGrowWithAttentionOnly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &Model{Hidden: 64, Vocab: 100}
		for range rapid.IntRange(1, 4).Draw(t, "layers") {
			m.Append(drawLayer(t))
		}
		a := rapid.IntRange(1, 9000).Draw(t, "a")
		b := rapid.IntRange(a, 9000).Draw(t, "b")
		ta, aa := m.FLOPsPerToken(a)
		tb, ab := m.FLOPsPerToken(b)
		if ab < aa || math.Abs(float64((tb-ab)-(ta-aa))) > 1e-9*float64(tb) {
			t.Fatalf("at %d: %g (%g), at %d: %g (%g)", a, float64(ta), float64(aa), b, float64(tb), float64(ab))
		}
	})
}

func BenchmarkFLOPsPerToken(b *testing.B) {
	m := llama70()
	for b.Loop() {
		m.FLOPsPerToken(8192)
	}
}

// TestEndFLOPs: GPT-3 175B's second MLP product is 4·h² of the 12·h² weights of a
// layer, a third of its products (Brown et al. 2020, table 2.1).
func TestEndFLOPs(t *testing.T) {
	l := Layer{Mixer: Mixer{Kind: Attention, Heads: 96, KVHeads: 96, HeadDim: 128, VHeadDim: 128}, FFN: FFN{Width: 49152}}
	m := Model{Hidden: 12288, Kinds: []Layer{l}, Pattern: make([]uint8, 96)}
	if got, want := float64(m.EndFLOPsPerToken()), 6*12*12288.0*12288*96/3; got != want {
		t.Errorf("%g, want %g", got, want)
	}
}

// Mixtral-8x7B sends a token to 2 of 8 experts of three matrices 4,096 × 14,336 in
// each of 32 layers (its config.json).
func TestRoutedFLOPs(t *testing.T) {
	l := Layer{Mixer: Mixer{Kind: Attention, Heads: 32, KVHeads: 8, HeadDim: 128, VHeadDim: 128}, FFN: FFN{Experts: 8, TopK: 2, ExpertWidth: 14336, Gated: true}}
	m := Model{Hidden: 4096, Kinds: []Layer{l}, Pattern: make([]uint8, 32)}
	if got, want := float64(m.RoutedFLOPsPerToken()), 6.*2*3*4096*14336*32; got != want {
		t.Errorf("got %g, want %g", got, want)
	}
}
