package ptx_test

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"planner/verify/gpu/dl"
	"planner/verify/gpu/ptx"
	"planner/verify/reduce"
)

// narrow rounds to a type with package reduce: an average over one rank.
func narrow(ty reduce.DType, f float32) float32 {
	b := make([]byte, ty.Size())
	switch ty {
	case reduce.F32:
		return f
	case reduce.BF16:
		u := math.Float32bits(f)
		binary.LittleEndian.PutUint16(b, uint16((u+0x7fff+u>>16&1)>>16))
		return math.Float32frombits(uint32(binary.LittleEndian.Uint16(b)) << 16)
	}
	// f16: 11 bits of mantissa, round to nearest even by adding and taking away
	// a number 2^13 times as large as the last place.
	exp := int(math.Float32bits(f)>>23&0xff) - 127
	c := float32(math.Ldexp(1.5, max(exp, -14)+13))
	return float32(f+c) - c
}

func put(ty reduce.DType, b []byte, i int, f float32) {
	switch ty {
	case reduce.F32:
		binary.LittleEndian.PutUint32(b[4*i:], math.Float32bits(f))
	case reduce.BF16:
		binary.LittleEndian.PutUint16(b[2*i:], uint16(math.Float32bits(f)>>16))
	default:
		u := math.Float32bits(f)
		h := u >> 16 & 0x8000
		if e := int(u>>23&0xff) - 112; e > 0 {
			h |= uint32(e)<<10 | u>>13&0x3ff
		} else {
			h |= uint32(math.Abs(float64(f)) * (1 << 24))
		}
		binary.LittleEndian.PutUint16(b[2*i:], uint16(h))
	}
}

// numbers returns n numbers that a type holds, as its bytes and as floats;
// bytes begin off elements behind a 16-byte boundary.
func numbers(r *rand.Rand, ty reduce.DType, off, n int) ([]byte, []float32) {
	b, f := pattern(ty, off, n, 9), make([]float32, n)
	for i := range f {
		f[i] = narrow(ty, float32(r.NormFloat64()))
		put(ty, b, i, f[i])
	}
	return b, f
}

// sumOf adds as the 32 lanes do: each every 32nd piece, then crosswise.
func sumOf(n, piece int, term func(i int) float32) float32 {
	var lane [32]float32
	for i := range n {
		l := i / piece % 32
		lane[l] = lane[l] + term(i)
	}
	for m := 16; m > 0; m >>= 1 {
		was := lane
		for l := range lane {
			lane[l] = was[l] + was[l^m]
		}
	}
	return lane[0]
}

// TestNorm compares the norm and its gradient with Go, bit for bit, in rows of
// whole 16-byte pieces and others.
func TestNorm(t *testing.T) {
	lib := twin(t)
	r := rand.New(rand.NewPCG(1, 2))
	for _, ty := range []reduce.DType{reduce.F32, reduce.F16, reduce.BF16} {
		var norm func(dst, x, w unsafe.Pointer, rows, cols uint64)
		var grad func(dst, dy, x, w unsafe.Pointer, rows, cols uint64)
		bind(t, lib, ptx.Norm(ty), &norm)
		bind(t, lib, ptx.NormGrad(ty), &grad)
		for _, s := range []struct{ rows, cols, off int }{{3, 4096, 0}, {2, 1000, 0}, {5, 33, 0}, {2, 64, 1}, {1, 1, 0}} {
			x, xf := numbers(r, ty, s.off, s.rows*s.cols)
			dy, df := numbers(r, ty, s.off, s.rows*s.cols)
			w, wf := numbers(r, ty, s.off, s.cols)
			piece := 1
			if s.off == 0 && s.cols*ty.Size()%16 == 0 {
				piece = 16 / ty.Size()
			}
			y, dx := pattern(ty, s.off, s.rows*s.cols, 3), pattern(ty, s.off, s.rows*s.cols, 4)
			norm(ptr(y), ptr(x), ptr(w), uint64(s.rows), uint64(s.cols))
			grad(ptr(dx), ptr(dy), ptr(x), ptr(w), uint64(s.rows), uint64(s.cols))
			for row := range s.rows {
				xs, ds := xf[row*s.cols:][:s.cols], df[row*s.cols:][:s.cols]
				square := float32(sumOf(s.cols, piece, func(i int) float32 { return float32(xs[i] * xs[i]) })/float32(s.cols)) + 1e-5
				cross := sumOf(s.cols, piece, func(i int) float32 { return float32(float32(wf[i]*ds[i]) * xs[i]) })
				rms, mean := float32(math.Sqrt(float64(square))), cross/float32(s.cols)/square
				for i := range s.cols {
					want := make([]byte, ty.Size())
					put(ty, want, 0, narrow(ty, float32(xs[i]/rms)*wf[i]))
					at := row*s.cols + i
					if got := at1(ty, y, at); got != at1(ty, want, 0) {
						t.Fatalf("norm %v %+v row %d: %d: %x: want %x", ty, s, row, i, got, want)
					}
					put(ty, want, 0, narrow(ty, float32(float32(wf[i]*ds[i])-float32(xs[i]*mean))/rms))
					if got := at1(ty, dx, at); got != at1(ty, want, 0) {
						t.Fatalf("gradient %v %+v row %d: %d: %x: want %x", ty, s, row, i, got, want)
					}
				}
			}
		}
	}
}

// TestNormGradIsTheDerivative holds the gradient against differences of the
// norm in f32.
func TestNormGradIsTheDerivative(t *testing.T) {
	lib := twin(t)
	var norm func(dst, x, w unsafe.Pointer, rows, cols uint64)
	var grad func(dst, dy, x, w unsafe.Pointer, rows, cols uint64)
	bind(t, lib, ptx.Norm(reduce.F32), &norm)
	bind(t, lib, ptx.NormGrad(reduce.F32), &grad)
	r := rand.New(rand.NewPCG(3, 4))
	const n = 16
	x, xf := numbers(r, reduce.F32, 0, n)
	dy, df := numbers(r, reduce.F32, 0, n)
	w, _ := numbers(r, reduce.F32, 0, n)
	dx, y := make([]byte, 4*n), make([]byte, 4*n)
	grad(ptr(dx), ptr(dy), ptr(x), ptr(w), 1, n)
	loss := func() (s float64) {
		norm(ptr(y), ptr(x), ptr(w), 1, n)
		for i := range n {
			s += float64(df[i]) * float64(math.Float32frombits(at1(reduce.F32, y, i)))
		}
		return s
	}
	for i := range n {
		const h = 1e-2
		put(reduce.F32, x, i, xf[i]+h)
		up := loss()
		put(reduce.F32, x, i, xf[i]-h)
		down := loss()
		put(reduce.F32, x, i, xf[i])
		if got, want := float64(math.Float32frombits(at1(reduce.F32, dx, i))), (up-down)/(2*h); math.Abs(got-want) > 1e-3 {
			t.Errorf("element %d: %v: want %v", i, got, want)
		}
	}
}

// TestAdam compares the optimizer with Go, bit for bit, with and without
// common alignment.
func TestAdam(t *testing.T) {
	lib := twin(t)
	r := rand.New(rand.NewPCG(5, 6))
	step := ptx.AdamStep{Rate: 1e-3, Beta1: 0.9, Beta2: 0.95, Epsilon: 1e-8, Fix1: 1 / (1 - 0.9), Fix2: 1 / (1 - 0.95)}
	for _, ty := range []reduce.DType{reduce.F32, reduce.F16, reduce.BF16} {
		for _, s := range []struct{ n, off int }{{4096, 0}, {1003, 0}, {257, 1}, {0, 0}} {
			g, gf := numbers(r, reduce.F32, s.off, s.n)
			w, wf := numbers(r, reduce.F32, s.off, s.n)
			m, mf := numbers(r, reduce.F32, s.off, s.n)
			v, vf := numbers(r, reduce.F32, s.off, s.n)
			for i := range vf {
				vf[i] = float32(math.Abs(float64(vf[i])))
				put(reduce.F32, v, i, vf[i])
			}
			p := pattern(ty, 0, s.n, 3)
			adam(t, lib, ty)(ptr(p), ptr(g), ptr(w), ptr(m), ptr(v), uint64(s.n), step)
			for i := range s.n {
				a := float32(step.Beta1*mf[i]) + float32(float32(1-step.Beta1)*gf[i])
				b := float32(step.Beta2*vf[i]) + float32(float32(1-step.Beta2)*float32(gf[i]*gf[i]))
				root := float32(math.Sqrt(float64(float32(b * step.Fix2))))
				y := wf[i] - float32(step.Rate*float32(a*step.Fix1))/float32(root+step.Epsilon)
				want := make([]byte, ty.Size())
				put(ty, want, 0, narrow(ty, y))
				if at1(reduce.F32, m, i) != math.Float32bits(a) || at1(reduce.F32, v, i) != math.Float32bits(b) ||
					at1(reduce.F32, w, i) != math.Float32bits(y) || at1(ty, p, i) != at1(ty, want, 0) {
					t.Fatalf("%v %+v: element %d: %x %x: want %x %x", ty, s, i, at1(reduce.F32, w, i), at1(ty, p, i), math.Float32bits(y), want)
				}
			}
		}
	}
}

type adamFunc = func(param, grad, master, m, v unsafe.Pointer, n uint64, s ptx.AdamStep)

func adam(t *testing.T, lib *dl.Library, ty reduce.DType) (f adamFunc) {
	bind(t, lib, ptx.Adam(ty), &f)
	return f
}
