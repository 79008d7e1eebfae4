package blas

import (
	"encoding/binary"
	"errors"
	"math"
	"strings"
	"testing"
	"unsafe"

	"planner/costmodel"
	"planner/verify/gpu/cuda"
	"planner/verify/gpu/dl"
	"planner/verify/gpu/fakes"
	"planner/verify/reduce"
)

func seat(t *testing.T) (string, *cuda.Seat) {
	t.Helper()
	path, reset := fakes.Driver(t)
	reset(fakes.CUDA{Devices: 1})
	d, err := cuda.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	g, err := cuda.NewGroup(d, []int{0})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = g.Close() })
	return path, g.Seat(0)
}

// TestProduct checks the meaning of m, n, k on small integers, by either library.
func TestProduct(t *testing.T) {
	path, s := seat(t)
	for _, open := range []func(...string) (*Library, error){Open, OpenHIP} {
		l, err := open(path)
		if err != nil {
			t.Fatal(err)
		}
		product(t, l, s)
		if l.Title() != "cuBLASLt 12.5.0" && l.Title() != "hipBLASLt 0.10.0" {
			t.Error(l.Title())
		}
		if err := l.Detach(s); err != nil {
			t.Error(err)
		}
	}
}

// product checks the meaning of m, n, k in every product on small integers.
func product(t *testing.T, l *Library, s *cuda.Seat) {
	const m, n, k = 8, 3, 16
	w := func(o, i int) float32 { return float32((o + 2*i) % 5) }
	x := func(tok, i int) float32 { return float32((3*tok + i) % 4) }
	turn := func(f func(a, b int) float32) func(a, b int) float32 {
		return func(a, b int) float32 { return f(b, a) }
	}
	for which := range costmodel.WeightGrad + 1 {
		first, second := bf16(m, k, w), bf16(n, k, x)
		if which != costmodel.Output {
			first = bf16(k, m, turn(w))
		}
		if which == costmodel.WeightGrad {
			second = bf16(k, n, turn(x))
		}
		g, err := l.New(s, Shape{m, n, k, which}, reduce.BF16)
		if err != nil {
			t.Fatal(err)
		}
		at := [4]uintptr{}
		for i, size := range []int{2 * m * k, 2 * n * k, 2 * n * m, Workspace} {
			if at[i], err = s.Alloc(size); err != nil {
				t.Fatal(err)
			}
		}
		out := make([]byte, 2*n*m)
		err = errors.Join(s.Write(at[0], first), s.Write(at[1], second), g.Run(at[0], at[1], at[2], at[3]), wait(s), s.Read(out, at[2]), g.Close())
		if err != nil {
			t.Fatal(err)
		}
		for tok := range n {
			for o := range m {
				want := float32(0)
				for i := range k {
					want += w(o, i) * x(tok, i)
				}
				if got := math.Float32frombits(uint32(binary.LittleEndian.Uint16(out[2*(tok*m+o):])) << 16); got != want {
					t.Fatalf("product %d, token %d output %d: %v: want %v", which, tok, o, got, want)
				}
			}
		}
	}
}

func wait(s *cuda.Seat) error {
	for {
		if idle, err := s.Idle(); idle || err != nil {
			return err
		}
	}
}

// bf16 returns a row-major matrix of numbers that bf16 holds.
func bf16(rows, cols int, f func(r, c int) float32) []byte {
	var b []byte
	for r := range rows {
		for c := range cols {
			b = binary.LittleEndian.AppendUint16(b, uint16(math.Float32bits(f(r, c))>>16))
		}
	}
	return b
}

func TestWhatCannotBe(t *testing.T) {
	path, s := seat(t)
	l, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	for want, f := range map[string]func() error{
		"GEMM of f64: not measured: want f32, f16 or bf16": func() error { _, err := l.New(s, Shape{M: 8, N: 8, K: 8}, reduce.F64); return err },
		"GEMM of 0x8x8: too small":                         func() error { _, err := l.New(s, Shape{M: 0, N: 8, K: 8}, reduce.F32); return err },
		"GEMM of 8x8x7: the library has no algorithm":      func() error { _, err := l.New(s, Shape{M: 8, N: 8, K: 7}, reduce.F32); return err },
		"want cuBLAS, as the CUDA toolkit":                 func() error { _, err := Open("libcublasLt.so.none"); return err },
		"want hipBLASLt, as ROCm brings it":                func() error { _, err := OpenHIP("libhipblaslt.so.none"); return err },
	} {
		if err := f(); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v: want one line with %q", err, want)
		}
	}
}

// TestStructs: cublasLtMatmulHeuristicResult_t has 64 bytes of algorithm, a
// size, a status, a float and 4 reserved words.
func TestStructs(t *testing.T) {
	if n := unsafe.Sizeof(heuristic{}); n != 96 {
		t.Errorf("%d bytes: want 96", n)
	}
}

// TestRealLibrary binds every function of the vendor's library where there is
// one.
func TestRealLibrary(t *testing.T) {
	for _, name := range []string{"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so.11"} {
		if _, err := dl.Open("", name); err != nil {
			continue
		}
		if l, err := Open(name); err != nil {
			t.Error(err)
		} else {
			t.Logf("cuBLASLt %d", l.Version)
		}
		return
	}
	t.Skip("no libcublasLt")
}
