package reduce

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// TestHalfConversions uses values of IEEE 754-2019 table 3.5 (binary16:
// precision 11, emax 15) and of the bfloat16 format (8 bits of precision).
func TestHalfConversions(t *testing.T) {
	for _, c := range []struct {
		h uint16
		f float32
	}{
		{0x3c00, 1}, {0xc000, -2}, {0x7bff, 65504}, {0x0400, 0x1p-14}, {0x0001, 0x1p-24},
		{0x03ff, 1023 * 0x1p-24}, {0x3555, 0.333251953125}, {0x7c00, float32(math.Inf(1))},
	} {
		if got := fromF16(c.h); got != c.f {
			t.Errorf("fromF16(%#x) = %v, want %v", c.h, got, c.f)
		}
		if got := toF16(c.f); got != c.h {
			t.Errorf("toF16(%v) = %#x, want %#x", c.f, got, c.h)
		}
	}
	for f, h := range map[float32]uint16{65519: 0x7bff, 65520: 0x7c00, 0x1p-25: 0, 0x1.8p-24: 2, 1 + 0x1p-11: 0x3c00, 1 + 0x3p-11: 0x3c02} {
		if got := toF16(f); got != h {
			t.Errorf("toF16(%v) = %#x, want %#x (round to nearest even)", f, got, h)
		}
	}
	for f, h := range map[float32]uint16{1: 0x3f80, 1 + 0x1p-8: 0x3f80, 1 + 0x3p-8: 0x3f82, 3.4e38: 0x7f80, -2: 0xc000} {
		if got := toBF16(f); got != h {
			t.Errorf("toBF16(%v) = %#x, want %#x (round to nearest even)", f, got, h)
		}
	}
	for h := range 1 << 16 {
		if g := toF16(fromF16(uint16(h))); g != uint16(h) && h&0x7fff <= 0x7c00 {
			t.Errorf("f16 %#x comes back as %#x", h, g)
		}
		if g := toBF16(fromBF16(uint16(h))); g != uint16(h) && h&0x7fff <= 0x7f80 {
			t.Errorf("bf16 %#x comes back as %#x", h, g)
		}
	}
}

// TestSumRoundsOnce holds f16 sums against exact arithmetic rounded once.
func TestSumRoundsOnce(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		x, y := uint16(r.Uint32())&0xbbff, uint16(r.Uint32())&0xbbff
		exact := new(big.Float).SetPrec(200).SetFloat64(float64(fromF16(x)))
		exact.Add(exact, new(big.Float).SetFloat64(float64(fromF16(y))))
		want, _ := new(big.Float).SetPrec(200).Set(exact).Float64() // exact: at most 11+30 bits
		dst, a, b := make([]byte, 2), le.AppendUint16(nil, x), le.AppendUint16(nil, y)
		Kernel(F16, Sum)(dst, a, b)
		got := float64(fromF16(le.Uint16(dst)))
		ulp := math.Max(math.Ldexp(1, math.Ilogb(want)-10), 0x1p-24)
		if want != 0 && math.Abs(got-want) > ulp/2 {
			t.Fatalf("%#x + %#x = %v, exactly %v: off by more than half an ulp", x, y, got, want)
		}
	}
}

// TestMaxMin states the rules of IEEE 754-2019 section 9.6.
func TestMaxMin(t *testing.T) {
	nan, zero, inf := float32(math.NaN()), float32(math.Copysign(0, -1)), float32(math.Inf(1))
	for _, c := range []struct{ x, y, max, min float32 }{
		{0, zero, 0, zero}, {zero, 0, 0, zero}, {zero, zero, zero, zero}, {nan, 1, nan, nan},
		{1, nan, nan, nan}, {inf, nan, nan, nan}, {-inf, inf, inf, -inf}, {-1, 2, 2, -1},
	} {
		for op, want := range map[Op]float32{Max: c.max, Min: c.min} {
			a, b, dst := repeat32(c.x), repeat32(c.y), make([]byte, 4*17)
			Kernel(F32, op)(dst, a, b)
			if i := differ(F32, dst, repeat32(want)); i >= 0 {
				t.Errorf("%v(%v, %v)[%d] = %v, want %v", op, c.x, c.y, i, math.Float32frombits(le.Uint32(dst[4*i:])), want)
			}
		}
	}
}

func repeat32(x float32) (b []byte) {
	for range 17 {
		b = le.AppendUint32(b, math.Float32bits(x))
	}
	return b
}

// TestScale divides exact multiples, which must come out exact, and random
// patterns, which must equal the Go meaning.
func TestScale(t *testing.T) {
	for d := range NumDTypes {
		for n := 1; n <= 9; n++ {
			var b, want []byte
			for i := range 67 {
				b, want = appendInt(d, b, n*(i%16-8)), appendInt(d, want, i%16-8)
			}
			Scale(d, b, n)
			if i := differ(d, b, want); i >= 0 {
				t.Errorf("%v / %d: element %d: %x, want %x", d, n, i, elem(d, b, i), elem(d, want, i))
			}
		}
		r := rand.New(rand.NewPCG(3, uint64(d)))
		for range 200 {
			k := 1 + r.IntN(1000)
			got := patterns(r, 400*d.Size())
			want := append([]byte(nil), got...)
			Scale(d, got, k)
			portableScalers[d](want, k)
			if i := differ(d, got, want); i >= 0 {
				t.Fatalf("%v / %d: element %d: %x, want %x", d, k, i, elem(d, got, i), elem(d, want, i))
			}
		}
	}
}

func appendInt(d DType, b []byte, v int) []byte {
	switch d {
	case F32:
		return le.AppendUint32(b, math.Float32bits(float32(v)))
	case F64:
		return le.AppendUint64(b, math.Float64bits(float64(v)))
	case F16:
		return le.AppendUint16(b, toF16(float32(v)))
	case BF16:
		return le.AppendUint16(b, toBF16(float32(v)))
	}
	return le.AppendUint32(b, uint32(int32(v)))
}

func TestCopyStream(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 200 {
		n, x, y := r.IntN(40000), r.IntN(64), r.IntN(64)
		src, dst := patterns(r, n+y), make([]byte, n+x+1)
		if got := CopyStream(dst[x:x+n], src[y:]); got != n || string(dst[x:x+n]) != string(src[y:]) || dst[x+n] != 0 {
			t.Fatalf("copy of %d bytes from %d to %d is wrong", n, y, x)
		}
	}
}
