package costmodel

import (
	"math"
	"testing"

	"planner/costmodel/kernel"
)

// widthsOf70B is a layer of Llama 3 70B.
var widthsOf70B = Layer{
	Mixer: Mixer{Kind: Attention, Heads: 64, KVHeads: 8, HeadDim: 128, VHeadDim: 128},
	FFN:   FFN{Width: 28672, Gated: true}, Norms: 2, NormParams: 2 * 8192,
}

// What one layer keeps of a token under Transformer Engine, counted by hand:
// inputs of both norms and of both products behind them (4·2h), q, k and v (2·
// (h + 2·1024)), the attention output (2h) with its log-sum-exp (4 bytes a
// head), both halves before SwiGLU and its output (6·ffn).
func TestSavedOfToken(t *testing.T) {
	s := Slice{Batch: 1, Seq: 4096, CP: 1, TP: 1, EP: 1, ETP: 1, Imbalance: 1, Attention: kernel.TE}
	const h, kv, ffn = 8192, 1024, 28672
	want := float64(8*h + 2*(h+2*kv) + 2*h + 4*64 + 6*ffn)
	if got := float64(widthsOf70B.Saved(h, &s, false).All()) / 4096; got != want {
		t.Errorf("%v bytes a token, want %v", got, want)
	}
	s.PlainGLU = true // silu and product apart keep the activated gate too
	if got := float64(widthsOf70B.Saved(h, &s, false).All()) / 4096; got != want+2*ffn {
		t.Errorf("%v bytes a token with a plain SwiGLU, want %v", got, want+2*ffn)
	}
	s.PlainGLU, s.Ulysses, s.CP = false, true, 8
	if got := float64(widthsOf70B.Saved(h, &s, false).All()) / 512; got != want+2*h {
		t.Errorf("%v bytes a token with Ulysses, want %v", got, want+2*h)
	}
}

// At most the gradients of both halves live beside the incoming one; with SP
// the gathered gradient and that of the second product's input come near.
func TestBackwardOfToken(t *testing.T) {
	s := Slice{Batch: 1, Seq: 4096, CP: 1, TP: 1, EP: 1, ETP: 1, Imbalance: 1, Attention: kernel.TE}
	if got, want := float64(widthsOf70B.Backward(8192, &s))/4096, 2.0*8192+4*28672; got != want {
		t.Errorf("%v bytes a token, want %v", got, want)
	}
	s.TP, s.SP = 8, true
	if got, want := float64(widthsOf70B.Backward(8192, &s))/4096, 2.0*8192/8+math.Max(2*8192+2*28672/8, 4*28672/8); got != want {
		t.Errorf("%v bytes a token at tp=8, want %v", got, want)
	}
}

// The shapes of a layer: 2·h² + 2·h·kv for the mixer, 3·h·ffn for the MLP; of
// experts one.
func TestWeightsOfLayer(t *testing.T) {
	s := Slice{TP: 2, ETP: 1}
	mixer, ffn := widthsOf70B.Weights(8192, &s)
	if mixer != (2*8192*8192+2*8192*1024)/2 || ffn != 3*8192*28672/2 {
		t.Errorf("%v and %v elements", mixer, ffn)
	}
	moe := Layer{Mixer: widthsOf70B.Mixer, FFN: FFN{Experts: 64, TopK: 8, ExpertWidth: 1024, Gated: true}}
	if _, ffn = moe.Weights(8192, &s); ffn != 3*8192*1024 {
		t.Errorf("%v elements of one expert", ffn)
	}
}

// Every other product keeps its output: wq, wv, w1, w2 and the core's.
func TestSavedOps(t *testing.T) {
	s := Slice{Batch: 1, Seq: 4096, CP: 1, TP: 1, EP: 1, ETP: 1, Imbalance: 1, Attention: kernel.Flash2}
	const h, kv, ffn = 8192, 1024, 28672
	if got, want := float64(widthsOf70B.SavedOps(h, &s))/4096, 2.0*(h+h+kv+h+ffn+h)+4*64; got != want {
		t.Errorf("%v bytes a token, want %v", got, want)
	}
	s.TP, s.SP = 8, true // w2's sum whole, two scattered sums
	if got, want := float64(widthsOf70B.SavedOps(h, &s))/4096, 2.0*(3*h/8+h+(h+kv+h+ffn)/8)+4*8; got != want {
		t.Errorf("%v bytes a token at tp=8, want %v", got, want)
	}
}

// Nemotron-H-8B's Mamba-2 layers (its config.json: 128 heads of 64, 8 groups of
// 128) keep of a token the input and its norm (2·2h), 18,560 projected elements, the
// scan's output and its gated norm, 8,192 each.
func TestRecurrentSaved(t *testing.T) {
	s := Slice{Batch: 1, Seq: 8192, CP: 1, TP: 1, EP: 1, ETP: 1, Imbalance: 1, Attention: kernel.TE}
	l := Layer{Norms: 1, Mixer: Mixer{Kind: Mamba2, Heads: 128, HeadDim: 64, VHeadDim: 64, State: 128, Groups: 8, Conv: 4}}
	if got, want := float64(l.Saved(4096, &s, false).All())/8192, 2.0*(2*4096+18560+2*8192); got != want {
		t.Errorf("%v bytes a token, want %v", got, want)
	}
}
