package worker

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"time"

	"planner/verify/gpu/blas"
	"planner/verify/gpu/cuda"
	"planner/verify/gpu/start"
	"planner/verify/reduce"
)

// MachineOptions say how to measure a machine's GPUs for calibration.
type MachineOptions struct {
	AMD           bool
	Driver, BLAS  string
	NVML          string
	Iters, Warmup int
	Timeout       time.Duration
	Shapes        []blas.Shape // none: [CalibrationShapes]
	Sizes         []int        // of memory traffic; none: 1 MiB to 512 MiB
	Copy          int          // bytes of copies between GPUs
}

// CalibrationShapes are products by which the efficiency of large ones, the
// loss at small inner dimensions and that at small outputs can be told apart:
// squares, Llama 3.1 70B's layer at tensor-parallel 1 and 8, and thin ones.
func CalibrationShapes() []blas.Shape {
	var out []blas.Shape
	for _, n := range []int{1024, 2048, 4096, 8192} {
		out = append(out, blas.Shape{M: n, N: n, K: n})
	}
	for _, k := range []int{256, 512, 1024, 2048, 16384} {
		out = append(out, blas.Shape{M: 8192, N: 8192, K: k})
	}
	for _, n := range []int{128, 512, 2048} {
		out = append(out, blas.Shape{M: 8192, N: n, K: 8192})
	}
	return append(out, blas.Shape{M: 10240, N: 8192, K: 8192}, blas.Shape{M: 57344, N: 8192, K: 8192}, blas.Shape{M: 8192, N: 8192, K: 28672},
		blas.Shape{M: 1280, N: 8192, K: 8192}, blas.Shape{M: 8192, N: 8192, K: 1024}, blas.Shape{M: 7168, N: 8192, K: 8192},
		blas.Shape{M: 8192, N: 8192, K: 3584}, blas.Shape{M: 128256, N: 4096, K: 4096})
}

// MeasureMachine measures products and memory traffic on the first GPU and
// copies between all, and writes a start.Machine as JSON.
func MeasureMachine(ctx context.Context, o MachineOptions, out io.Writer) error {
	drv, err := openDriver(o.AMD, o.Driver)
	if err != nil {
		return err
	}
	lib, err := openBLAS(o.AMD, o.BLAS)
	if err != nil {
		return err
	}
	all, err := drv.Devices()
	if err != nil {
		return err
	}
	backend := CUDA
	if o.AMD {
		backend = HIP
	}
	doubts := (&Options{Backend: backend, NVML: o.NVML}).watch()
	m := &start.Machine{GPU: all[0].Name, GPUs: len(all), Memory: float64(all[0].Memory)}
	if err := o.first(ctx, drv, lib, m); err != nil {
		return err
	}
	if m.Peers, err = matrix(ctx, drv, o.Copy, o.Iters); err != nil {
		return err
	}
	m.Library, m.Notes = drv.Title()+", "+lib.Title(), doubts()
	return json.NewEncoder(out).Encode(m)
}

// first measures on the first GPU.
func (o *MachineOptions) first(ctx context.Context, drv *cuda.Driver, lib *blas.Library, m *start.Machine) (err error) {
	g, err := cuda.NewGroup(drv, []int{0})
	if err != nil {
		return err
	}
	seat := g.Seat(0)
	defer func() { err = errors.Join(err, lib.Detach(seat), g.Close()) }()
	shapes, sizes := o.Shapes, o.Sizes
	if len(shapes) == 0 {
		shapes = CalibrationShapes()
	}
	if len(sizes) == 0 {
		sizes = []int{1 << 20, 16 << 20, 128 << 20, 512 << 20}
	}
	products := GemmOptions{Type: reduce.BF16, Iters: o.Iters, Warmup: o.Warmup, Timeout: o.Timeout}
	for _, s := range shapes {
		if err := ctx.Err(); err != nil {
			return err
		}
		seconds, err := products.time(lib, seat, s)
		if err != nil {
			return err
		}
		m.Gemms = append(m.Gemms, start.Gemm{M: s.M, N: s.N, K: s.K, Seconds: seconds})
	}
	traffic := MemoryOptions{Sizes: sizes, Cols: 8192, Type: reduce.BF16, Iters: o.Iters, Warmup: o.Warmup, Timeout: o.Timeout}
	m.Traffic, err = traffic.measure(ctx, seat)
	return err
}
