package costmodel

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

// llama70 is Llama 3.1 70B (arXiv 2407.21783, table 3).
func llama70() *Model {
	m := &Model{Name: "llama3.1-70b", Hidden: 8192, Vocab: 128256, MaxSeq: 131072, FinalNorm: 8192}
	l := Layer{
		Mixer: Mixer{Kind: Attention, Heads: 64, KVHeads: 8, HeadDim: 128, VHeadDim: 128},
		FFN:   FFN{Width: 28672, Gated: true}, Norms: 2, NormParams: 2 * 8192,
	}
	for range 80 {
		m.Append(l)
	}
	return m
}

// The parts of a layer, each counted by hand from the shapes of the weights.
func TestLayerParams(t *testing.T) {
	const h = 16
	for _, tt := range []struct {
		name  string
		layer Layer
		want  LayerParams
	}{
		{"llama", Layer{Mixer: Mixer{Kind: Attention, Heads: 4, KVHeads: 2, HeadDim: 4, VHeadDim: 4}, FFN: FFN{Width: 48, Gated: true}, NormParams: 32},
			LayerParams{Mixer: 16*16 + 2*16*8 + 16*16, Dense: 3 * 16 * 48, Norms: 32}},
		{"gpt", Layer{Mixer: Mixer{Kind: Attention, Heads: 4, KVHeads: 4, HeadDim: 4, VHeadDim: 4, QKVBias: true, OutBias: true}, FFN: FFN{Width: 64, Bias: true}, NormParams: 64},
			LayerParams{Mixer: 4*16*16 + 3*16, MixerReplicated: 16, Dense: 2*16*64 + 64, FFNReplicated: 16, Norms: 64}},
		{"gate and norms on q and k", Layer{Mixer: Mixer{Kind: Attention, Heads: 4, KVHeads: 1, HeadDim: 8, VHeadDim: 8, OutGate: true, QKNorm: 16, Sinks: 4}},
			LayerParams{Mixer: 16*64 + 2*16*8 + 32*16 + 4, MixerReplicated: 16}},
		{"keys as values", Layer{Mixer: Mixer{Kind: Attention, Heads: 4, KVHeads: 2, HeadDim: 4, VHeadDim: 4, SharedKV: true}},
			LayerParams{Mixer: 16*16 + 16*8 + 16*16}},
		{"latent", Layer{Mixer: Mixer{Kind: MLA, Heads: 4, HeadDim: 6, VHeadDim: 4, QRank: 8, KVRank: 6, RopeDim: 2}},
			LayerParams{Mixer: 8*24 + 6*4*(4+4) + 16*16, MixerReplicated: 16*8 + 8 + 16*8 + 6}},
		{"latent, full queries", Layer{Mixer: Mixer{Kind: MLA, Heads: 4, HeadDim: 6, VHeadDim: 4, KVRank: 6, RopeDim: 2}},
			LayerParams{Mixer: 16*24 + 6*4*(4+4) + 16*16, MixerReplicated: 16*8 + 6}},
		{"experts", Layer{FFN: FFN{Gated: true, Experts: 8, TopK: 2, ExpertWidth: 4, Shared: 6, SharedGate: true, RouterBias: 8}},
			LayerParams{Router: 16*8 + 8 + 16, Shared: 3 * 16 * 6, Routed: 8 * 3 * 16 * 4}},
		{"experts with biases", Layer{FFN: FFN{Gated: true, Experts: 8, TopK: 2, ExpertWidth: 4, ExpertBias: true}},
			LayerParams{Router: 16 * 8, Routed: 8 * (3*16*4 + 8 + 16)}},
		{"latent experts", Layer{FFN: FFN{Experts: 8, TopK: 2, ExpertWidth: 4, Latent: 5, Shared: 6}},
			LayerParams{Router: 16*8 + 2*16*5, Shared: 2 * 16 * 6, Routed: 8 * 2 * 5 * 4}},
		{"delta net", Layer{Mixer: Mixer{Kind: Linear, Heads: 4, KVHeads: 2, HeadDim: 3, VHeadDim: 5, Conv: 4}},
			LayerParams{Mixer: 16*(6+6+20+20+4+4) + 4*(6+6+20) + 4 + 4 + 20*16, MixerReplicated: 5}},
		{"mamba 2", Layer{Mixer: Mixer{Kind: Mamba2, Heads: 4, HeadDim: 8, State: 3, Groups: 2, Conv: 4, ConvBias: true}},
			LayerParams{Mixer: 16*(32+32+12+4) + 44*4 + 44 + 3*4 + 32 + 32*16}},
	} {
		if got := tt.layer.Params(h); got != tt.want {
			t.Errorf("%s: Params(%d) = %+v, want %+v", tt.name, h, got, tt.want)
		}
	}
}

func TestParametersLlama70B(t *testing.T) {
	m := llama70()
	if got := m.Parameters(); got != 70_553_706_496 { // elements of the released checkpoint
		t.Errorf("Parameters() = %d, want 70553706496", got)
	}
	if got := len(m.Kinds); got != 1 {
		t.Errorf("%d kinds of layer, want 1", got)
	}
	// 855,654,400 a layer: 150,994,944 of attention, 704,643,072 of MLP, 16,384 of norms.
	if got := m.Truncate(12).Parameters(); got != 12*855_654_400+2*128256*8192+8192 {
		t.Errorf("Truncate(12).Parameters() = %d", got)
	}
}

// Parts add up, active parameters are among all, and appending a layer adds it.
func TestParametersAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &Model{Hidden: rapid.IntRange(1, 256).Draw(t, "hidden"), Vocab: rapid.IntRange(1, 999).Draw(t, "vocab"), Tied: rapid.Bool().Draw(t, "tied")}
		for range rapid.IntRange(1, 6).Draw(t, "layers") {
			l := drawLayer(t)
			p := l.Params(m.Hidden)
			if sum := p.Mixer + p.MixerReplicated + p.Norms + p.Router + p.Dense + p.Shared + p.FFNReplicated + p.Routed; sum != p.Total() {
				t.Fatalf("parts %d, total %d", sum, p.Total())
			}
			before := m.Parameters()
			m.Append(l)
			if m.Parameters() != before+p.Total() {
				t.Fatalf("a layer of %d adds %d", p.Total(), m.Parameters()-before)
			}
		}
		total, active := m.Parameters(), m.ActiveParameters()
		if active > total || (m.Experts() == 0) != (active == total) && active != total {
			t.Fatalf("active %d of %d", active, total)
		}
	})
}

func drawLayer(t *rapid.T) Layer {
	n := func(name string) int { return rapid.IntRange(1, 64).Draw(t, name) }
	l := Layer{
		Mixer: Mixer{
			Kind: MixerKind(rapid.IntRange(0, int(Mamba2)).Draw(t, "kind")), Heads: n("heads"), KVHeads: n("kv"),
			HeadDim: n("dim") + 64, VHeadDim: n("vdim"), QKVBias: rapid.Bool().Draw(t, "bias"), RopeDim: n("rope"),
			KVRank: n("rank"), State: n("state"), Conv: n("conv"), Groups: n("groups"), Window: rapid.IntRange(0, 9000).Draw(t, "window"),
		},
		FFN: FFN{Width: n("ffn"), Gated: rapid.Bool().Draw(t, "gated")}, NormParams: n("norms"),
	}
	if rapid.Bool().Draw(t, "sparse") {
		l.FFN.Experts = n("experts")
		l.FFN.TopK = rapid.IntRange(1, l.FFN.Experts).Draw(t, "topk")
		l.FFN.ExpertWidth, l.FFN.Shared = n("width"), n("shared")
	}
	return l
}

func ExampleModel_Parameters() {
	fmt.Println(llama70().Parameters())
	// Output: 70553706496
}
