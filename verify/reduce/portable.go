package reduce

import "math"

// portable holds the Go functions. They are the meaning of the others.
var portable = [NumDTypes][Avg]Func{
	F32: {
		each4(func(x, y float32) float32 { return x + y }),
		each4(func(x, y float32) float32 { return max(x, y) }),
		each4(func(x, y float32) float32 { return min(x, y) }),
	},
	F64: {
		each8(func(x, y float64) float64 { return x + y }),
		each8(func(x, y float64) float64 { return max(x, y) }),
		each8(func(x, y float64) float64 { return min(x, y) }),
	},
	F16: {
		each2(fromF16, toF16, func(x, y float32) float32 { return x + y }),
		each2(fromF16, toF16, func(x, y float32) float32 { return max(x, y) }),
		each2(fromF16, toF16, func(x, y float32) float32 { return min(x, y) }),
	},
	BF16: {
		each2(fromBF16, toBF16, func(x, y float32) float32 { return x + y }),
		each2(fromBF16, toBF16, func(x, y float32) float32 { return max(x, y) }),
		each2(fromBF16, toBF16, func(x, y float32) float32 { return min(x, y) }),
	},
	I32: {
		eachInt(func(x, y int32) int32 { return x + y }),
		eachInt(func(x, y int32) int32 { return max(x, y) }),
		eachInt(func(x, y int32) int32 { return min(x, y) }),
	},
}

func each4(f func(x, y float32) float32) Func {
	return func(dst, a, b []byte) {
		for i := 0; i+4 <= len(dst); i += 4 {
			z := f(math.Float32frombits(le.Uint32(a[i:])), math.Float32frombits(le.Uint32(b[i:])))
			le.PutUint32(dst[i:], math.Float32bits(z))
		}
	}
}

func each8(f func(x, y float64) float64) Func {
	return func(dst, a, b []byte) {
		for i := 0; i+8 <= len(dst); i += 8 {
			z := f(math.Float64frombits(le.Uint64(a[i:])), math.Float64frombits(le.Uint64(b[i:])))
			le.PutUint64(dst[i:], math.Float64bits(z))
		}
	}
}

func each2(from func(uint16) float32, to func(float32) uint16, f func(x, y float32) float32) Func {
	return func(dst, a, b []byte) {
		for i := 0; i+2 <= len(dst); i += 2 {
			le.PutUint16(dst[i:], to(f(from(le.Uint16(a[i:])), from(le.Uint16(b[i:])))))
		}
	}
}

func eachInt(f func(x, y int32) int32) Func {
	return func(dst, a, b []byte) {
		for i := 0; i+4 <= len(dst); i += 4 {
			le.PutUint32(dst[i:], uint32(f(int32(le.Uint32(a[i:])), int32(le.Uint32(b[i:])))))
		}
	}
}
