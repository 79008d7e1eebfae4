package bench

import (
	"bytes"
	"encoding/binary"
	"math"

	"planner/costmodel/collective"
	"planner/costmodel/collective/steps"
	"planner/verify/reduce"
)

// period is after how many elements the data repeat: a prime, so that data
// that land a power of two away from their place do not match.
const period = 1021

// Data holds the inputs of a call and what must come out of it. All values are
// integers small enough that every sum over the ranks is exact in the type,
// whatever the order, so that results can be compared bit for bit.
type Data struct {
	spec  steps.Spec
	dtype reduce.DType
	op    reduce.Op
	of    [][]byte // [rank]: one period of its input
	sum   []byte   // one period of the reduction
}

// NewData returns the data of a call.
func NewData(s steps.Spec, t reduce.DType, op reduce.Op) *Data {
	d := &Data{spec: s, dtype: t, op: op, sum: make([]byte, period*t.Size())}
	for r := range s.Ranks {
		b := make([]byte, period*t.Size())
		for i := range period {
			put(t, b, i, d.value(r, i))
		}
		d.of = append(d.of, b)
	}
	for i := range period {
		put(t, d.sum, i, d.reduced(i))
	}
	return d
}

// value is element i of what rank holds. bf16 has 8 significant bits, so sums
// stay exact up to 256.
func (d *Data) value(rank, i int) float64 {
	top := uint32(max(2, min(16, 256/d.spec.Ranks)))
	h := uint32(rank+1)*2654435761 ^ uint32(i+1)*2246822519 // Knuth's and xxHash's multipliers
	return float64((h ^ h>>15) * 2654435761 >> 8 % top)
}

func (d *Data) reduced(i int) float64 {
	x := d.value(0, i)
	for r := 1; r < d.spec.Ranks; r++ {
		switch v := d.value(r, i); d.op {
		case reduce.Max:
			x = max(x, v)
		case reduce.Min:
			x = min(x, v)
		default:
			x += v
		}
	}
	if d.op != reduce.Avg {
		return x
	}
	if d.dtype == reduce.I32 {
		return math.Trunc(x / float64(d.spec.Ranks))
	}
	return x / float64(d.spec.Ranks)
}

// Fill writes rank's input.
func (d *Data) Fill(in []byte, rank int) {
	s := d.spec
	n, _ := steps.Lens(s, rank)
	e := d.dtype.Size()
	repeat(in[:n*e], d.of[rank], d.start(rank)*e)
}

// start is the element of M at which a rank's input begins.
func (d *Data) start(rank int) int {
	switch d.spec.Op {
	case collective.AllGather, collective.Gather:
		off, _ := steps.Cut(d.spec.Count, d.spec.Ranks, rank)
		return off
	}
	return 0
}

// Wrong returns how many elements of rank's output differ from what they must
// be. Every element is compared.
func (d *Data) Wrong(out []byte, rank int) int {
	s, wrong := d.spec, 0
	_, n := steps.Lens(s, rank)
	off, mine := steps.Cut(s.Count, s.Ranks, rank)
	switch s.Op {
	case collective.AllReduce, collective.Reduce:
		return d.compare(out, d.sum, 0, n)
	case collective.ReduceScatter:
		return d.compare(out, d.sum, off, n)
	case collective.Scatter:
		return d.compare(out, d.of[s.Root], off, n)
	case collective.AllGather, collective.Gather:
		for r := 0; r < s.Ranks && n > 0; r++ {
			o, k := steps.Cut(s.Count, s.Ranks, r)
			wrong += d.compare(out[o*d.dtype.Size():], d.of[r], o, k)
		}
		return wrong
	case collective.AllToAll:
		for r := range s.Ranks {
			wrong += d.compare(out[r*mine*d.dtype.Size():], d.of[r], off, mine)
		}
		return wrong
	}
	return d.compare(out, d.of[s.Root], 0, n)
}

// compare counts the first n elements of out that differ from those that
// pattern gives from element start of M on.
func (d *Data) compare(out, pattern []byte, start, n int) int {
	e, wrong := d.dtype.Size(), 0
	for i := 0; i < n; {
		at := (start + i) % period
		k := min(period-at, n-i)
		got, want := out[i*e:(i+k)*e], pattern[at*e:(at+k)*e]
		if !bytes.Equal(got, want) {
			for j := range k {
				if !d.equal(got, want, j) {
					wrong++
				}
			}
		}
		i += k
	}
	return wrong
}

// equal compares element j. Averages of the float types may be one unit in
// the last place off, since they round.
func (d *Data) equal(got, want []byte, j int) bool {
	g, w := get(d.dtype, got, j), get(d.dtype, want, j)
	if d.op == reduce.Avg && d.dtype != reduce.I32 {
		return math.Abs(g-w) <= math.Abs(w)*ulp[d.dtype]
	}
	return g == w
}

// ulp is one unit in the last place relative to the value.
var ulp = [reduce.NumDTypes]float64{reduce.F32: 0x1p-23, reduce.F64: 0x1p-52, reduce.F16: 0x1p-10, reduce.BF16: 0x1p-7}

// repeat fills dst with pattern from byte start of its endless repetition.
func repeat(dst, pattern []byte, start int) {
	n := copy(dst, pattern[start%len(pattern):])
	for n < len(dst) {
		n += copy(dst[n:], pattern)
	}
}

var le = binary.LittleEndian

// put encodes x, a non-negative number that is an integer or an average.
func put(t reduce.DType, b []byte, i int, x float64) {
	switch t {
	case reduce.F32:
		le.PutUint32(b[4*i:], math.Float32bits(float32(x)))
	case reduce.F64:
		le.PutUint64(b[8*i:], math.Float64bits(x))
	case reduce.I32:
		le.PutUint32(b[4*i:], uint32(int32(x)))
	case reduce.F16:
		le.PutUint16(b[2*i:], half(x, 10, 15))
	case reduce.BF16:
		le.PutUint16(b[2*i:], half(x, 7, 127))
	}
}

// half encodes a normal x >= 0 with man mantissa bits and the given exponent
// bias, rounding to the nearest.
func half(x float64, man, bias int) uint16 {
	if x == 0 {
		return 0
	}
	frac, exp := math.Frexp(x) // frac in [0.5, 1)
	m := int(math.RoundToEven(math.Ldexp(frac, man+1)))
	return uint16((exp-2+bias)<<man + m)
}

// get decodes a non-negative element.
func get(t reduce.DType, b []byte, i int) float64 {
	switch t {
	case reduce.F32:
		return float64(math.Float32frombits(le.Uint32(b[4*i:])))
	case reduce.F64:
		return math.Float64frombits(le.Uint64(b[8*i:]))
	case reduce.I32:
		return float64(int32(le.Uint32(b[4*i:])))
	case reduce.F16:
		return unhalf(le.Uint16(b[2*i:]), 10, 15)
	}
	return unhalf(le.Uint16(b[2*i:]), 7, 127)
}

// unhalf decodes a half. Infinities and NaN come out as numbers that no
// expected value equals.
func unhalf(h uint16, man, bias int) float64 {
	sign := 1.0
	if h>>15 != 0 {
		sign = -1
	}
	exp, m := int(h&0x7fff)>>man, int(h)&(1<<man-1)
	if exp == 0 {
		return sign * math.Ldexp(float64(m), 1-bias-man)
	}
	return sign * math.Ldexp(float64(m+1<<man), exp-bias-man)
}
