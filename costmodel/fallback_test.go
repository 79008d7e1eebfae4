package costmodel_test

import (
	"testing"

	"planner/costmodel"
	"planner/costmodel/kernel"
	"planner/hardware"
	"planner/hardware/unit"
)

// TestFusedSoftmaxFallsBack: Megatron-LM's fused kernel takes batch·heads in
// fours (fused_softmax.py, is_kernel_available); others run unfused.
func TestFusedSoftmaxFallsBack(t *testing.T) {
	c := kernel.Constants{Memory: 0.85, L2: 1, Operand: 0.8, ScoreFused: 15, ScoreUnfused: 35, Half: kernel.Format{Peak: 0.8, HalfK: 94}}
	for i := range c.Tiles {
		c.Tiles[i] = 1
	}
	gpu := &hardware.Accelerator{MemoryBandwidth: 2039 * unit.GBps, SMs: 108}
	for p := range gpu.Peak {
		gpu.Peak[p] = 312e12
	}
	d := kernel.NewDevice(gpu, hardware.BF16, c)
	l := costmodel.Layer{Mixer: costmodel.Mixer{Kind: costmodel.Attention, Heads: 16, KVHeads: 16, HeadDim: 64, VHeadDim: 64}, FFN: costmodel.FFN{Width: 4096}}
	core := func(batch, tp float64, k kernel.AttentionKernel) costmodel.Pass {
		return l.Work(1024, &costmodel.Slice{Batch: batch, Seq: 1024, CP: 1, TP: tp, EP: 1, ETP: 1, Imbalance: 1, Pointwise: 1, Attention: k}, d).Core
	}
	for _, x := range []struct {
		batch, tp float64
		fused     bool
	}{{1, 4, true}, {2, 8, true}, {1, 8, false}, {3, 8, false}} {
		got, unfused := core(x.batch, x.tp, kernel.FusedSoftmax), core(x.batch, x.tp, kernel.Unfused)
		if (got.Fwd < unfused.Fwd) != x.fused {
			t.Errorf("batch %v, tp %v: %v against %v unfused", x.batch, x.tp, got, unfused)
		}
	}
}

// TestFallsBack: 2 heads of 1 sequence are no four; flash attention and layers
// without attention have no fused softmax.
func TestFallsBack(t *testing.T) {
	x := costmodel.Mixer{Kind: costmodel.Attention, Heads: 16}
	for _, c := range []struct {
		kernel kernel.AttentionKernel
		kind   costmodel.MixerKind
		batch  float64
		want   bool
	}{
		{kernel.FusedSoftmax, costmodel.Attention, 1, true},
		{kernel.FusedSoftmax, costmodel.Attention, 2, false},
		{kernel.Flash2, costmodel.Attention, 1, false},
		{kernel.FusedSoftmax, costmodel.Mamba2, 1, false},
	} {
		x.Kind = c.kind
		if got := x.FallsBack(&costmodel.Slice{Batch: c.batch, TP: 8, Attention: c.kernel}); got != c.want {
			t.Errorf("%+v: falls back %v", c, got)
		}
	}
}
