package reduce

import "math"

// fromBF16 widens: bf16 is the upper half of an f32.
func fromBF16(h uint16) float32 { return math.Float32frombits(uint32(h) << 16) }

// toBF16 rounds to nearest even and keeps NaN a (quiet) NaN.
func toBF16(f float32) uint16 {
	u := math.Float32bits(f)
	if f != f {
		return uint16(u>>16) | 0x40
	}
	return uint16((u + 0x7fff + u>>16&1) >> 16)
}

// fromF16 widens binary16: sign, 5 exponent bits of bias 15, 10 mantissa bits.
func fromF16(h uint16) float32 {
	sign, exp, man := uint32(h&0x8000)<<16, uint32(h>>10)&31, uint32(h&0x3ff)
	switch exp {
	case 0: // zero or subnormal, a multiple of 2^-24
		return math.Float32frombits(math.Float32bits(float32(man)*0x1p-24) | sign)
	case 31:
		return math.Float32frombits(sign | 0x7f800000 | man<<13)
	}
	return math.Float32frombits(sign | (exp+127-15)<<23 | man<<13)
}

// toF16 rounds to nearest even; from 65520 up the result is infinite, NaN
// stays a quiet NaN.
func toF16(f float32) uint16 {
	u := math.Float32bits(f)
	sign := uint16(u>>16) & 0x8000
	u &= 0x7fffffff
	switch {
	case u > 0x7f800000:
		return sign | 0x7e00
	case u >= 0x47800000: // 65536
		return sign | 0x7c00
	case u < 0x38800000: // below 2^-14: adding 0.5 leaves the multiple of 2^-24 in the low bits
		return sign | uint16(math.Float32bits(math.Float32frombits(u)+0.5)-0x3f000000)
	}
	u += 0xfff + u>>13&1
	return sign | uint16((u-(127-15)<<23)>>13)
}
