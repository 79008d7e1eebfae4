// Package reduce holds the arithmetic of the collective engine: dst = a op b
// over arrays of bytes, in assembly where the processor has it and in Go
// elsewhere, with the same result bit for bit.
//
// Semantics, equal in every implementation:
//   - f32 and f64 are IEEE 754 with round to nearest even and subnormals kept.
//   - f16 and bf16 are computed in f32 and rounded once, to nearest even. For
//     sums and quotients that equals direct rounding, since 24 bits are at
//     least 2p+2 for p = 11 and 8 (Figueroa, When is double rounding
//     innocuous?, SIGNUM Newsletter 30(3), 1995).
//   - Max and Min are IEEE 754-2019 maximum and minimum: NaN if either operand
//     is NaN, and -0 is less than +0, as Go's built-in max and min.
//   - A NaN result has an unspecified sign and payload.
//   - i32 wraps around on overflow; its average is cut towards zero.
//   - Avg reduces as Sum; [Scale] divides the finished sum by the ranks.
package reduce

import "encoding/binary"

// DType is an element type, little-endian in memory.
type DType uint8

// The element types.
const (
	F32 DType = iota
	F64
	F16
	BF16
	I32
	NumDTypes
)

var dtypes = [NumDTypes]struct {
	name string
	size int
}{{"f32", 4}, {"f64", 8}, {"f16", 2}, {"bf16", 2}, {"i32", 4}}

// String returns the lower-case name.
func (d DType) String() string { return dtypes[d].name }

// Size returns bytes per element.
func (d DType) Size() int { return dtypes[d].size }

// ParseDType reads a name that String prints.
func ParseDType(s string) (DType, bool) {
	for d, t := range dtypes {
		if t.name == s {
			return DType(d), true
		}
	}
	return 0, false
}

// Op is a reduction.
type Op uint8

// The reductions.
const (
	Sum Op = iota
	Max
	Min
	Avg
	NumOps
)

var opNames = [NumOps]string{"sum", "max", "min", "avg"}

// String returns the lower-case name.
func (o Op) String() string { return opNames[o] }

// ParseOp reads a name that String prints.
func ParseOp(s string) (Op, bool) {
	for o, n := range opNames {
		if n == s {
			return Op(o), true
		}
	}
	return 0, false
}

// Func computes dst = a op b for every element of dst; a and b are at least
// as long, and len(dst) is a multiple of the element size. dst may be a or b,
// but must not overlap them otherwise. Any alignment is allowed.
type Func func(dst, a, b []byte)

// Kernel returns the fastest function for d and op on this processor.
func Kernel(d DType, op Op) Func {
	if op == Avg {
		op = Sum
	}
	if f := fast[d][op]; f != nil {
		return f
	}
	return portable[d][op]
}

// Scale divides every element of dst by n > 0: the last step of Avg.
// len(dst) is a multiple of the element size.
func Scale(d DType, dst []byte, n int) { scalers[d](dst, n) }

// fast holds the assembly functions that this processor can run.
var fast [NumDTypes][Avg]Func

// block is the bytes that every assembly kernel does at a time.
const block = 32

var le = binary.LittleEndian
