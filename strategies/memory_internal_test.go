package strategies

import (
	"slices"
	"testing"

	"planner/costmodel"
	"planner/costmodel/kernel"
	"planner/hardware"
)

// nanotron's 1B of the Ultra-Scale Playbook: a head of 131072 rows costs as
// much as four of its layers, so that with two stages half the cost, ten of
// twenty layers, is passed by the eleventh.
func TestSplitByCost(t *testing.T) {
	l := costmodel.Layer{Mixer: costmodel.Mixer{Kind: costmodel.Attention, Heads: 32, KVHeads: 32, HeadDim: 64, VHeadDim: 64}, FFN: costmodel.FFN{Width: 8192, Gated: true}}
	m := &costmodel.Model{Hidden: 2048, Vocab: 131072, Kinds: []costmodel.Layer{l}, Pattern: make([]uint8, 16)}
	p := &Problem{Model: m}
	for pp, want := range map[int][]int{2: {11, 5}, 4: {6, 5, 5, 0}} {
		if got := p.byCost(pp); !slices.Equal(got, want) {
			t.Errorf("pp=%d: %v, want %v", pp, got, want)
		}
	}
}

// Placeholders exist where Transformer Engine makes the products, once for each
// shape of a stage.
func TestWeightGrads(t *testing.T) {
	l := costmodel.Layer{Mixer: costmodel.Mixer{Kind: costmodel.Attention, Heads: 8, KVHeads: 8, HeadDim: 64, VHeadDim: 64}, FFN: costmodel.FFN{Width: 2048, Gated: true}}
	m := &costmodel.Model{Hidden: 512, Vocab: 32000, Kinds: []costmodel.Layer{l}, Pattern: make([]uint8, 4)}
	prof := &Profile{Memory: ProfileMemory{WeightGrads: 2}}
	p := &Problem{Model: m, Cluster: &hardware.Cluster{}}
	s := &site{p: p, prof: prof, fit: &ProfileFit{}, l: Layout{TP: 1, PP: 1, CP: 1, DP: 1, EP: 1, ETP: 1}}
	for _, x := range []struct {
		head bool
		want float64
	}{{false, 2 * (4*512*512 + 3*512*2048)}, {true, 2 * (4*512*512 + 3*512*2048 + 32000*512)}} {
		h := held{shapes: s.distinctShapes(&stage{kinds: []int{4}, total: 4, head: x.head})}
		if got := float64(s.weightGrads(&h)); got != x.want {
			t.Errorf("head %v: %v bytes, want %v", x.head, got, x.want)
		}
		for _, old := range []kernel.AttentionKernel{kernel.Flash1, kernel.Flash2, kernel.FusedSoftmax, kernel.Unfused} {
			p.Work.Attention = old
			if got := s.weightGrads(&h); got != 0 {
				t.Errorf("%v with %v", got, old)
			}
		}
		p.Work.Attention = kernel.Usual
	}
}
