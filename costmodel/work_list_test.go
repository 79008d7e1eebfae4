package costmodel_test

import (
	"math"
	"testing"

	"planner/costmodel"
	"planner/costmodel/kernel"
	"planner/hardware"
	"planner/hardware/unit"
)

// TestKernelsAddUpToWork: the list has the times that Work sums, and of a dense
// layer 3 products for each of its 4 matrices, whose operations are
// 6·tokens·parameters.
func TestKernelsAddUpToWork(t *testing.T) {
	gpu := &hardware.Accelerator{MemoryBandwidth: 3350 * unit.GBps, SMs: 132, L2: 50 << 20}
	for p := range gpu.Peak {
		gpu.Peak[p] = 989e12
	}
	one := kernel.Format{Peak: 0.8, HalfK: 94, Tail: 0.1}
	c := kernel.Constants{Memory: 0.85, L2: 1, Operand: 0.8, Launch: 3e-6, Grouped: 1, Half: one, Single: one, Byte: one}
	for i := range c.Tiles {
		c.Tiles[i] = 1
	}
	for i := range c.Attention {
		c.Attention[i] = kernel.Flash{Fwd: 0.6, Bwd: 0.4, HalfKeys: 100, Tail: 0.5}
	}
	d := kernel.NewDevice(gpu, hardware.BF16, c)
	l := costmodel.Layer{Mixer: costmodel.Mixer{Kind: costmodel.Attention, Heads: 32, KVHeads: 8, HeadDim: 128, VHeadDim: 128},
		FFN: costmodel.FFN{Width: 14336, Gated: true}, Norms: 2}
	s := costmodel.Slice{Batch: 1, Seq: 8192, CP: 1, TP: 2, SP: true, EP: 1, ETP: 1, Imbalance: 1, Pointwise: 1}
	var got costmodel.Pass
	flops, products := 0.0, 0
	for _, k := range l.Kernels(4096, &s, d) {
		if k.Backward {
			got.Bwd += k.Seconds
		} else {
			got.Fwd += k.Seconds
		}
		if k.M > 0 && !k.Core {
			products++
			flops += 2 * k.M * k.N * k.K * float64(k.Groups)
		}
	}
	want := l.Work(4096, &s, d).Total()
	near := func(a, b float64) bool { return math.Abs(a-b) < 1e-9*b }
	if !near(float64(got.Fwd), float64(want.Fwd)) || !near(float64(got.Bwd), float64(want.Bwd)) {
		t.Errorf("%v: want %v", got, want)
	}
	params := 4096.0 * (4096 + 2*1024 + 4096 + 3*14336) / 2 // of a rank of 2
	if products != 12 || !near(flops, 6*8192*params) {
		t.Errorf("%d products, %g operations: want 12, %g", products, flops, 6*8192*params)
	}
}
