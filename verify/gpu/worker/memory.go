package worker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"planner/hardware/unit"
	"planner/verify/gpu/cuda"
	"planner/verify/gpu/ptx"
	"planner/verify/gpu/start"
	"planner/verify/reduce"
)

// MemoryOptions say which memory-bound kernels to time, on one GPU.
type MemoryOptions struct {
	Sizes         []int // bytes of a tensor of the type
	Cols          int   // elements of a row of the norms
	Type          reduce.DType
	GPU           int
	AMD           bool
	Iters, Warmup int
	Timeout       time.Duration
	Driver        string // path of libcuda.so.1 in other places
}

// Traffic is a memory-bound kernel as it was measured.
type Traffic = start.Traffic

// Memory times a layer's memory-bound kernels and the optimizer's and writes a
// line for each, tab-separated: GPU, kernel, type, bytes read and written,
// microseconds by the GPU's clock, GB/s.
func Memory(ctx context.Context, o MemoryOptions, out io.Writer) error {
	if !ptx.Serves(o.Type) {
		return fmt.Errorf("%v: no kernel on GPUs: want f32, f16 or bf16", o.Type)
	}
	drv, err := openDriver(o.AMD, o.Driver)
	if err != nil {
		return err
	}
	g, err := cuda.NewGroup(drv, []int{o.GPU})
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "gpu\tkernel\tdtype\tbytes\tus\tgbps")
	rows, err := o.measure(ctx, g.Seat(0))
	for _, r := range rows {
		fmt.Fprintf(out, "%s\t%s\t%s\t%d\t%.2f\t%.1f\n", g.Device(0).Name, r.Kernel, r.DType, r.Bytes, r.Seconds*1e6, r.Rate()/float64(unit.GBps))
	}
	return errors.Join(err, g.Close())
}

func (o *MemoryOptions) measure(ctx context.Context, s *cuda.Seat) (rows []Traffic, err error) {
	for _, size := range o.Sizes {
		if err := ctx.Err(); err != nil {
			return rows, err
		}
		more, err := o.size(s, size)
		if rows = append(rows, more...); err != nil {
			return rows, fmt.Errorf("%d bytes: %w", size, err)
		}
	}
	return rows, nil
}

// size times every kernel on tensors of a size.
func (o *MemoryOptions) size(s *cuda.Seat, size int) (rows []Traffic, err error) {
	e := o.Type.Size()
	lines := max(1, size/e/o.Cols)
	n := lines * o.Cols
	var at [6]uintptr // four of the type or f32, one of the type, a row
	defer func() {
		for _, p := range at {
			err = errors.Join(err, s.Free(p))
		}
	}()
	for i, bytes := range []int{4 * n, 4 * n, 4 * n, 4 * n, e * n, e * o.Cols} {
		if at[i], err = s.Alloc(bytes); err != nil {
			return nil, err
		}
		if err = s.Fill(at[i], 0x3c, bytes); err != nil { // 0.0115 in f32 and bf16, 1.06 in f16
			return nil, err
		}
	}
	step := ptx.AdamStep{Rate: 1e-4, Beta1: 0.9, Beta2: 0.95, Epsilon: 1e-8, Fix1: 1, Fix2: 1}
	for _, k := range []struct {
		name  string
		bytes int
		run   func() error
	}{
		{"copy", 2 * n * e, func() error { return s.Copy(at[0], at[1], n*e) }},
		{"sum", 3 * n * e, func() error { return s.Sum(o.Type, at[0], at[1], at[2], n) }},
		{"norm", 2 * n * e, func() error { return s.Norm(o.Type, at[0], at[1], at[5], lines, o.Cols) }},
		{"norm_grad", 3 * n * e, func() error { return s.NormGrad(o.Type, at[0], at[1], at[2], at[5], lines, o.Cols) }},
		{"adam", (28 + e) * n, func() error {
			return s.Adam(o.Type, cuda.Moments{Param: at[4], Grad: at[0], Master: at[1], M: at[2], V: at[3]}, n, step)
		}},
	} {
		g := GemmOptions{Iters: o.Iters, Warmup: o.Warmup, Timeout: o.Timeout}
		seconds, err := g.between(s, k.run)
		if err != nil {
			return rows, err
		}
		rows = append(rows, Traffic{Kernel: k.name, DType: o.Type.String(), Bytes: k.bytes, Seconds: seconds})
	}
	return rows, nil
}
