package reduce

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"golang.org/x/sys/cpu"
)

// special are 64-bit patterns whose pieces are the edge cases of every type:
// zeros of both signs, infinities, quiet and signalling NaN, largest and
// smallest normal and subnormal, ties of rounding.
var special = []uint64{
	0, 0x8000_8000_8000_8000, 1, 0x0001_0001_0001_0001, 0x8001_8001_8001_8001,
	0x7c00_7c00_7c00_7c00, 0xfc00_fc00_fc00_fc00, 0x7c01_7e00_7dff_fe01, 0x7f80_7f80_ff80_ff80,
	0x7f81_7fc0_ff81_ffff, 0x7bff_7bff_fbff_7bff, 0x7f7f_7f7f_ff7f_ff7f, 0x0400_03ff_8400_83ff,
	0x0080_007f_8080_807f, 0x3c00_1000_3f80_3b80, 0x3c01_1000_3f81_3b80, 0x8000_0000_8000_0000,
	0x8000_0000_0000_0000, 0x7f80_0000_ff80_0000, 0x7fc0_0000_7f80_0001, 0x7ff0_0000_0000_0000,
	0xfff0_0000_0000_0000, 0x7ff0_0000_0000_0001, 0x7ff8_0000_0000_0000, 0x7fff_ffff_8000_0000,
	0x7fef_ffff_ffff_ffff, 0x000f_ffff_ffff_ffff, 0x3f80_0000_3380_0000, 0x3f80_0001_3380_0000,
}

// patterns returns n bytes, a third of them edge cases and a third sharing
// an exponent so that sums round.
func patterns(r *rand.Rand, n int) []byte {
	var b []byte
	for len(b) < n {
		v := r.Uint64()
		switch r.IntN(3) {
		case 0:
			v = special[r.IntN(len(special))]
		case 1:
			v = v&0x80ff_80ff_80ff_80ff | 0x3c00_3c00_3c00_3c00
		}
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	return b[:n]
}

// isNaN reports whether the element at the start of b is NaN.
func isNaN(d DType, b []byte) bool {
	switch d {
	case F32:
		return math.IsNaN(float64(math.Float32frombits(le.Uint32(b))))
	case F64:
		return math.IsNaN(math.Float64frombits(le.Uint64(b)))
	case F16:
		return le.Uint16(b)&0x7fff > 0x7c00
	case BF16:
		return le.Uint16(b)&0x7fff > 0x7f80
	}
	return false
}

// differ returns the first element at which got and want differ, two NaN
// being equal, or -1.
func differ(d DType, got, want []byte) int {
	for i := 0; i < len(want); i += d.Size() {
		g, w := got[i:i+d.Size()], want[i:i+d.Size()]
		if !bytes.Equal(g, w) && !(isNaN(d, g) && isNaN(d, w)) {
			return i / d.Size()
		}
	}
	return -1
}

func eachKernel(t *testing.T, do func(t *testing.T, d DType, op Op)) {
	for d := range NumDTypes {
		for op := range Avg {
			t.Run(fmt.Sprintf("%v/%v", d, op), func(t *testing.T) { do(t, d, op) })
		}
	}
}

// compare runs a kernel and its Go meaning on n elements that begin skew
// bytes into their arrays, and looks for writes outside dst.
func compare(t *testing.T, d DType, op Op, r *rand.Rand, n, skew int) {
	t.Helper()
	size := n * d.Size()
	a, b := patterns(r, skew+size)[skew:], patterns(r, 2*skew+size)[2*skew:]
	want := make([]byte, size)
	portable[d][op](want, a, b)
	room := bytes.Repeat([]byte{0xa5}, skew+size+64)
	got := room[skew : skew+size]
	Kernel(d, op)(got, a, b)
	if i := differ(d, got, want); i >= 0 {
		t.Fatalf("%d elements, skew %d: element %d: %x %v %x = %x, want %x", n, skew, i,
			elem(d, a, i), op, elem(d, b, i), elem(d, got, i), elem(d, want, i))
	}
	if bytes.Count(room[:skew], []byte{0xa5}) != skew || bytes.Count(room[skew+size:], []byte{0xa5}) != 64 {
		t.Fatalf("%d elements, skew %d: wrote outside dst", n, skew)
	}
	Kernel(d, op)(a, a, b)
	if i := differ(d, a, want); i >= 0 {
		t.Fatalf("%d elements, skew %d, in place: element %d differs", n, skew, i)
	}
}

func elem(d DType, b []byte, i int) []byte { return b[i*d.Size() : (i+1)*d.Size()] }

// TestKernels holds every kernel against Go on all lengths from 0 to 67 and
// on longer ones, at odd addresses too.
func TestKernels(t *testing.T) {
	eachKernel(t, func(t *testing.T, d DType, op Op) {
		r := rand.New(rand.NewPCG(uint64(d), uint64(op)))
		for n := range 68 {
			for _, skew := range []int{0, 1, 2, 7, 16} {
				compare(t, d, op, r, n, skew)
			}
		}
		for range 20 {
			compare(t, d, op, r, 1+r.IntN(20000), r.IntN(33))
		}
	})
}

// TestHalfPairs tries every f16 and bf16 value against edge cases.
func TestHalfPairs(t *testing.T) {
	a := make([]byte, 2<<16)
	for i := range 1 << 16 {
		le.PutUint16(a[2*i:], uint16(i))
	}
	for _, d := range []DType{F16, BF16} {
		for op := range Avg {
			for _, y := range []uint16{0, 0x8000, 1, 0x3c00, 0x3f80, 0x7bff, 0x7f7f, 0x7c00, 0xff80, 0x7fff, 0x0401, 0x1001, 0xb3b3} {
				b := make([]byte, len(a))
				for i := range 1 << 16 {
					le.PutUint16(b[2*i:], y)
				}
				got, want := make([]byte, len(a)), make([]byte, len(a))
				Kernel(d, op)(got, a, b)
				portable[d][op](want, a, b)
				if i := differ(d, got, want); i >= 0 {
					t.Fatalf("%v: %#x %v %#x = %x, want %x", d, i, op, y, elem(d, got, i), elem(d, want, i))
				}
			}
		}
	}
}

func FuzzKernels(f *testing.F) {
	f.Add([]byte("0123456789abcdef0123456789abcdef0123456789abcdef"), uint8(0), uint8(0))
	f.Fuzz(func(t *testing.T, data []byte, d, op uint8) {
		dt, o := DType(d%uint8(NumDTypes)), Op(op%uint8(Avg))
		n := len(data) / 2 / dt.Size() * dt.Size()
		a, b := data[:n], data[len(data)-n:]
		got, want := make([]byte, n), make([]byte, n)
		Kernel(dt, o)(got, a, b)
		portable[dt][o](want, a, b)
		if i := differ(dt, got, want); i >= 0 {
			t.Errorf("%v %v: element %d: %x, want %x", dt, o, i, elem(dt, got, i), elem(dt, want, i))
		}
	})
}

// TestAssemblyIsUsed fails where a processor that has the instructions would
// run the Go loops.
func TestAssemblyIsUsed(t *testing.T) {
	if runtime.GOARCH != "arm64" && !(runtime.GOARCH == "amd64" && cpu.X86.HasAVX2 && cpu.X86.HasF16C) {
		t.Skip("no vector instructions")
	}
	eachKernel(t, func(t *testing.T, d DType, op Op) {
		if fast[d][op] == nil {
			t.Error("falls back to Go")
		}
	})
}
