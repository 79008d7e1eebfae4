package worker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strconv"
	"strings"
	"time"

	"planner/verify/gpu/blas"
	"planner/verify/gpu/cuda"
	"planner/verify/reduce"
)

// GemmOptions say which products to time, on one GPU.
type GemmOptions struct {
	Shapes       []blas.Shape
	Type         reduce.DType
	GPU          int
	AMD          bool // HIP and hipBLASLt
	Iters        int
	Warmup       int
	Timeout      time.Duration
	Driver, BLAS string // paths of libcuda.so.1 and libcublasLt.so in other places
}

// openDriver opens the driver of a vendor's GPUs.
func openDriver(amd bool, path string) (*cuda.Driver, error) {
	if amd {
		return cuda.OpenHIP(paths(path)...)
	}
	return cuda.Open(paths(path)...)
}

// openBLAS opens a vendor's library of products.
func openBLAS(amd bool, path string) (*blas.Library, error) {
	if amd {
		return blas.OpenHIP(paths(path)...)
	}
	return blas.Open(paths(path)...)
}

// ParseShape reads m x n x k as 8192x4096x8192.
func ParseShape(s string) (g blas.Shape, err error) {
	words := strings.Split(s, "x")
	for i, to := range []*int{&g.M, &g.N, &g.K} {
		if len(words) == 3 {
			*to, err = strconv.Atoi(words[i])
		}
		if len(words) != 3 || err != nil || *to < 1 || *to > 1<<24 {
			return blas.Shape{}, fmt.Errorf("shape %q: not a shape: want outputs x tokens x inputs, as 8192x4096x8192", s)
		}
	}
	return g, nil
}

// Gemms times every shape and writes a line for each, tab-separated: the GPU,
// the type, m, n, k, microseconds by the GPU's clock, TFLOP/s.
func Gemms(ctx context.Context, o GemmOptions, out io.Writer) error {
	drv, err := openDriver(o.AMD, o.Driver)
	if err != nil {
		return err
	}
	lib, err := openBLAS(o.AMD, o.BLAS)
	if err != nil {
		return err
	}
	g, err := cuda.NewGroup(drv, []int{o.GPU})
	if err != nil {
		return err
	}
	seat := g.Seat(0)
	fmt.Fprintln(out, "gpu\tdtype\tm\tn\tk\tus\ttflops")
	for _, s := range o.Shapes {
		if err := ctx.Err(); err != nil {
			return err
		}
		seconds, err := o.time(lib, seat, s)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%s\t%v\t%d\t%d\t%d\t%.2f\t%.2f\n", g.Device(0).Name, o.Type, s.M, s.N, s.K, seconds*1e6, s.FLOPs()/seconds/1e12)
	}
	return errors.Join(lib.Detach(seat), g.Close())
}

// time returns the seconds of one product, of Iters behind each other.
func (o *GemmOptions) time(l *blas.Library, s *cuda.Seat, shape blas.Shape) (seconds float64, err error) {
	g, err := l.New(s, shape, o.Type)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, g.Close()) }()
	e := o.Type.Size()
	var at [4]uintptr
	defer func() {
		for _, p := range at {
			_ = s.Free(p)
		}
	}()
	for i, n := range []int{shape.M * shape.K * e, shape.N * shape.K * e, shape.N * shape.M * e, blas.Workspace} {
		if at[i], err = s.Alloc(n); err != nil {
			return 0, err
		}
		if err := o.fill(s, at[i], n, i); err != nil {
			return 0, err
		}
	}
	run := func() error { return g.Run(at[0], at[1], at[2], at[3]) }
	return o.between(s, run)
}

// fill writes the operands with a pattern of many values around 1: a matrix of
// zeros draws less power and runs faster than real data.
func (o *GemmOptions) fill(s *cuda.Seat, p uintptr, n, operand int) error {
	if operand > 1 {
		return nil
	}
	b := make([]byte, n)
	e := o.Type.Size()
	one := map[reduce.DType]uint32{reduce.F32: 0x3f800000, reduce.F16: 0x3c00, reduce.BF16: 0x3f80}[o.Type]
	low := map[reduce.DType]uint32{reduce.F32: 0x7fffff, reduce.F16: 0x3ff, reduce.BF16: 0x7f}[o.Type]
	x := uint32(2463534242) // Marsaglia, Xorshift RNGs, 2003
	for i := 0; i+e <= n; i += e {
		x ^= x << 13
		x ^= x >> 17
		x ^= x << 5
		v := one | x&low | x>>31<<(8*e-1)
		for j := range e {
			b[i+j] = byte(v >> (8 * j))
		}
	}
	return s.Write(p, b)
}

// between times by events on the stream.
func (o *GemmOptions) between(s *cuda.Seat, run func() error) (float64, error) {
	for range o.Warmup {
		if err := run(); err != nil {
			return 0, err
		}
	}
	if err := s.Begin(); err != nil {
		return 0, err
	}
	for range o.Iters {
		if err := run(); err != nil {
			return 0, err
		}
	}
	if err := errors.Join(s.End(), idle(s, o.Timeout)); err != nil {
		return 0, err
	}
	seconds, err := s.Elapsed()
	return seconds / float64(o.Iters), err
}

// idle waits for the stream.
func idle(s *cuda.Seat, timeout time.Duration) error {
	for end := time.Now().Add(timeout); ; runtime.Gosched() {
		done, err := s.Idle()
		if done || err != nil {
			return err
		}
		if time.Now().After(end) {
			return fmt.Errorf("GPU: not done after %v", timeout)
		}
	}
}
