package costmodel

import "testing"

// The usual layer speaks for a hybrid: DeepSeek-V3's 58 sparse layers give the
// experts, its 3 dense ones the MLP's width.
func TestSummary(t *testing.T) {
	mla := Mixer{Kind: MLA, Heads: 128, KVHeads: 128, HeadDim: 192, VHeadDim: 128}
	m := &Model{Hidden: 7168}
	for i := range 61 {
		l := Layer{Mixer: mla, FFN: FFN{Width: 18432, Gated: true}}
		if i >= 3 {
			l.FFN = FFN{Experts: 256, TopK: 8, ExpertWidth: 2048, Shared: 2048, Gated: true}
		}
		m.Append(l)
	}
	for _, tt := range []struct {
		what      string
		got, want int
	}{
		{"heads", m.Heads(), 128}, {"kv heads", m.KVHeads(), 128}, {"head dim", m.HeadDim(), 192}, {"ffn", m.FFN(), 18432},
		{"experts", m.Experts(), 256}, {"experts per token", m.ExpertsPerToken(), 8}, {"layers", m.Layers(), 61},
	} {
		if tt.got != tt.want {
			t.Errorf("%s = %d, want %d", tt.what, tt.got, tt.want)
		}
	}
	var empty Model
	if empty.Heads() != 0 || empty.FFN() != 0 || empty.Experts() != 0 || empty.ExpertsPerToken() != 0 {
		t.Error("a model without layers has sizes")
	}
}

// DeepSeek-V3's release: 11.5e9 parameters in the layer, 14e9 with its own
// copies of the embedding and the head (README of deepseek-ai/DeepSeek-V3).
func TestMTPParameters(t *testing.T) {
	l := Layer{
		Mixer: Mixer{Kind: MLA, Heads: 128, HeadDim: 192, VHeadDim: 128, QRank: 1536, KVRank: 512, RopeDim: 64},
		FFN:   FFN{Gated: true, Experts: 256, TopK: 8, ExpertWidth: 2048, Shared: 2048}, NormParams: 2 * 7168,
	}
	m := &Model{Hidden: 7168, Vocab: 129280, MTP: []Layer{l}}
	if got := float64(m.MTPParameters()+2*m.Embedding()) / 1e9; got < 13 || got > 14 {
		t.Errorf("MTP with embeddings = %.2f e9, want 13 to 14", got)
	}
}
