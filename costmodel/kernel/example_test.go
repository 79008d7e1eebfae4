package kernel_test

import (
	"fmt"

	"planner/costmodel/kernel"
	"planner/hardware"
	"planner/hardware/unit"
)

// The constants of presets/kernels come from catalog.LoadKernels; a few are
// enough for an example.
func constants() kernel.Constants {
	c := kernel.Constants{
		Half:  kernel.Format{Peak: 0.8, HalfK: 94, Tail: 0.1},
		Tiles: [kernel.NumTiles]float64{1, 1, 1, 0.77, 0.59},

		Operand: 0.82, Memory: 0.85, L2: 2, Launch: 2.8e-6,
		Grouped: 1, GroupLaunch: 1e-6, ScoreFused: 15, ScoreUnfused: 35,
		Usual: kernel.Flash3,
	}
	c.Attention[kernel.Flash3] = kernel.Flash{Fwd: 0.68, Bwd: 0.43, HalfKeys: 175, Tail: 0.5, Dim64: 0.73}
	return c
}

func ExampleDevice_GEMM() {
	d := kernel.NewDevice(h100, hardware.BF16, constants())
	fmt.Printf("4096 tokens: %.0f µs\n", 1e6*float64(d.GEMM(4096, 8192, 8192)))
	fmt.Printf("  64 tokens: %.0f µs\n", 1e6*float64(d.GEMM(64, 8192, 8192)))
	// Output:
	// 4096 tokens: 708 µs
	//   64 tokens: 53 µs
}

func ExampleDevice_Attention() {
	d := kernel.NewDevice(h100, hardware.BF16, constants())
	s := kernel.AttentionSpec{
		Batch: 1, Heads: 8, KVHeads: 1, SeqQ: 8192, SeqK: 8192, DimQK: 128, DimV: 128,
		Causal: true, Kernel: kernel.Flash3,
	}
	fwd, bwd := d.Attention(s)
	fmt.Printf("flash: %.2f ms forward, %.2f ms backward\n", 1e3*float64(fwd), 1e3*float64(bwd))
	s.Kernel = kernel.Unfused
	fwd, bwd = d.Attention(s)
	fmt.Printf("unfused: %.2f ms forward, %.2f ms backward\n", 1e3*float64(fwd), 1e3*float64(bwd))
	// Output:
	// flash: 0.22 ms forward, 0.86 ms backward
	// unfused: 7.44 ms forward, 8.26 ms backward
}

// A layer whose kernels take as long as their launches is slower than either.
func ExampleSoftMax() {
	gpu, host := 1.0*unit.Millisecond, 1.0*unit.Millisecond
	fmt.Printf("%.2f ms\n", 1e3*float64(kernel.SoftMax(gpu, host, 4)))
	fmt.Printf("%.2f ms\n", 1e3*float64(kernel.SoftMax(gpu, host/4, 4)))
	// Output:
	// 1.19 ms
	// 1.00 ms
}
