package ptx_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"planner/verify/gpu/dl"
	"planner/verify/gpu/fakes"
	"planner/verify/gpu/ptx"
	"planner/verify/reduce"
)

type (
	reduceFunc  = func(dst, a, b unsafe.Pointer, n uint64)
	averageFunc = func(dst, a unsafe.Pointer, n, ranks uint64)
)

// twin opens the kernels compiled for the host.
func twin(t *testing.T) *dl.Library {
	l, err := dl.Open("gcc's output", fakes.Build(t, "ptx/c/kernels.c"))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func bind(t *testing.T, l *dl.Library, name string, f any) {
	t.Helper()
	if err := l.Bind([]dl.Binding{{Name: name, Func: f}}); err != nil {
		t.Fatal(err)
	}
}

// offsets are where operands begin, in elements from a 16-byte boundary:
// alike, so that vectors are used, and not.
var offsets = [][3]int{{0, 0, 0}, {1, 1, 1}, {3, 3, 3}, {0, 1, 0}, {2, 1, 3}}

// TestReduceIsTheEnginesBitForBit compares the kernels with package reduce on
// random bit patterns and special values, in every alignment.
func TestReduceIsTheEnginesBitForBit(t *testing.T) {
	lib := twin(t)
	for _, ty := range []reduce.DType{reduce.F32, reduce.F16, reduce.BF16} {
		for op := reduce.Sum; op < reduce.Avg; op++ {
			var f reduceFunc
			bind(t, lib, ptx.Reduce(ty, op), &f)
			for _, o := range offsets {
				for _, n := range []int{0, 1, 3, 7, 8, 9, 31, 4096, 70001} {
					a, b := pattern(ty, o[1], n, 1), pattern(ty, o[2], n, 2)
					got, want := pattern(ty, o[0], n, 3), make([]byte, n*ty.Size())
					f(ptr(got), ptr(a), ptr(b), uint64(n))
					reduce.Kernel(ty, op)(want, a, b)
					if at := differs(ty, got, want); at >= 0 {
						t.Fatalf("%v %v offsets %v: element %d of %d: %x: want %x", ty, op, o, at, n,
							at1(ty, got, at), at1(ty, want, at))
					}
				}
			}
		}
	}
}

func TestAverageIsTheEnginesBitForBit(t *testing.T) {
	lib := twin(t)
	for _, ty := range []reduce.DType{reduce.F32, reduce.F16, reduce.BF16} {
		var f averageFunc
		bind(t, lib, ptx.Average(ty), &f)
		for _, ranks := range []int{1, 2, 3, 7, 8, 1000} {
			for _, o := range offsets {
				got := pattern(ty, o[0], 5003, 4)
				want := append([]byte(nil), got...)
				f(ptr(got), ptr(got), 5003, uint64(ranks))
				reduce.Scale(ty, want, ranks)
				if at := differs(ty, got, want); at >= 0 {
					t.Fatalf("%v over %d: element %d: %x: want %x", ty, ranks, at, at1(ty, got, at), at1(ty, want, at))
				}
			}
		}
	}
}

func TestCopy(t *testing.T) {
	lib := twin(t)
	var f func(dst, src unsafe.Pointer, n uint64)
	bind(t, lib, ptx.Copy, &f)
	for n := range 100 {
		for o := range 17 {
			dst, src := make([]byte, n+o+33), pattern(reduce.F32, 0, 64, 5)
			f(unsafe.Pointer(&dst[o]), unsafe.Pointer(&src[0]), uint64(n))
			want := make([]byte, len(dst))
			copy(want[o:], src[:n])
			if string(dst) != string(want) {
				t.Fatalf("%d bytes to offset %d: wrong", n, o)
			}
		}
	}
}

func ptr(b []byte) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(b)) }

// pattern returns n elements that begin off elements behind a 16-byte
// boundary: random bits, with zeros, subnormals, infinities and NaN.
func pattern(ty reduce.DType, off, n int, seed uint64) []byte {
	raw := make([]byte, (n+off+1)*ty.Size()+16)
	pad := int(-uintptr(ptr(raw))&15) + off*ty.Size()
	b := raw[pad : pad+n*ty.Size()]
	r := rand.New(rand.NewPCG(seed, uint64(n)))
	special := []float32{0, float32(math.Copysign(0, -1)), float32(math.Inf(1)), float32(math.Inf(-1)),
		float32(math.NaN()), 0x1p-149, 0x1p-24, 65504, 65520, math.MaxFloat32}
	for i := range n {
		bits := r.Uint32()
		if r.IntN(8) == 0 {
			bits = math.Float32bits(special[r.IntN(len(special))])
			if ty == reduce.F16 {
				bits = []uint32{0, 0x8000, 0x7c00, 0xfc00, 0x7e00, 1, 0x3ff, 0x400, 0x7bff, 0xfbff}[r.IntN(10)] << 16
			}
		}
		if ty == reduce.F32 {
			binary.LittleEndian.PutUint32(b[4*i:], bits)
		} else {
			binary.LittleEndian.PutUint16(b[2*i:], uint16(bits>>16))
		}
	}
	return b
}

// differs returns the first element that differs, NaN apart, or -1.
func differs(ty reduce.DType, got, want []byte) int {
	for i := range len(want) / ty.Size() {
		g, w := at1(ty, got, i), at1(ty, want, i)
		if g != w && !(isNaN(ty, g) && isNaN(ty, w)) {
			return i
		}
	}
	return -1
}

func at1(ty reduce.DType, b []byte, i int) uint32 {
	if ty == reduce.F32 {
		return binary.LittleEndian.Uint32(b[4*i:])
	}
	return uint32(binary.LittleEndian.Uint16(b[2*i:]))
}

func isNaN(ty reduce.DType, u uint32) bool {
	switch ty {
	case reduce.F32:
		return u&0x7fffffff > 0x7f800000
	case reduce.F16:
		return u&0x7fff > 0x7c00
	case reduce.BF16:
		return u&0x7fff > 0x7f80
	}
	panic(fmt.Sprint("no type ", ty))
}
