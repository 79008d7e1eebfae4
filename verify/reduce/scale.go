package reduce

import "math"

// portableScalers hold the meaning of Scale; scalers what this processor runs.
var portableScalers = [NumDTypes]func(dst []byte, n int){
	F32:  scaleF32,
	F64:  scaleF64,
	F16:  func(dst []byte, n int) { scaleHalf(dst, n, fromF16, toF16) },
	BF16: func(dst []byte, n int) { scaleHalf(dst, n, fromBF16, toBF16) },
	I32:  scaleI32,
}

var scalers = portableScalers

func scaleF32(dst []byte, n int) {
	for i := 0; i+4 <= len(dst); i += 4 {
		x := math.Float32frombits(le.Uint32(dst[i:])) / float32(n)
		le.PutUint32(dst[i:], math.Float32bits(x))
	}
}

func scaleF64(dst []byte, n int) {
	for i := 0; i+8 <= len(dst); i += 8 {
		x := math.Float64frombits(le.Uint64(dst[i:])) / float64(n)
		le.PutUint64(dst[i:], math.Float64bits(x))
	}
}

func scaleHalf(dst []byte, n int, from func(uint16) float32, to func(float32) uint16) {
	for i := 0; i+2 <= len(dst); i += 2 {
		le.PutUint16(dst[i:], to(from(le.Uint16(dst[i:]))/float32(n)))
	}
}

func scaleI32(dst []byte, n int) {
	for i := 0; i+4 <= len(dst); i += 4 {
		le.PutUint32(dst[i:], uint32(int32(le.Uint32(dst[i:]))/int32(n)))
	}
}
