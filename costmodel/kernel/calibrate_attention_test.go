package kernel

import (
	"math"

	"planner/hardware"
	"planner/hardware/unit"
)

// Direction is what a measurement of attention timed.
type Direction uint8

// The directions; Both is forward and backward in one time.
const (
	Fwd Direction = iota
	Bwd
	Both
)

// AttentionRow is one measured attention kernel, at 16 bits.
type AttentionRow struct {
	On        *hardware.Accelerator
	Spec      AttentionSpec // Kernel is the one that is calibrated
	Direction Direction
	Stack     string // the benchmark that launched it, "" when none is to be told from the kernel
	Time      unit.Seconds
}

// CalibrateAttention returns c with the fused kernel k fitted on rows, as
// Calibrate does for products. What measurements hold beside the kernel, a
// launch by the host and the copies of a serving stack, is fitted for each
// stack as a time per call and a multiple of the traffic of Q, K, V and O, and
// dropped.
func CalibrateAttention(k AttentionKernel, rows []AttentionRow, c Constants) (Constants, Errors) {
	b := newCores(rows, &c)
	f := &c.Attention[k]
	r := make([]float64, len(rows))
	leastSquares(append(b.beside(), b.terms(f)...), len(rows), b.residuals)
	b.residuals(r)
	return c, ErrorsOf(r)
}

// EvaluateAttention returns the errors of c on rows, what measurements hold
// beside the kernel fitted and nothing else.
func EvaluateAttention(rows []AttentionRow, c Constants) Errors {
	b := newCores(rows, &c)
	r := make([]float64, len(rows))
	leastSquares(b.beside(), len(rows), b.residuals)
	b.residuals(r)
	return ErrorsOf(r)
}

// cores is a set of attention rows, the constants that price them, and what
// their times hold beside the kernel.
type cores struct {
	rows []AttentionRow
	c    *Constants
	host overheads // s a call
	copy overheads // multiple of the traffic
	in   map[*hardware.Accelerator][]int
}

func newCores(rows []AttentionRow, c *Constants) *cores {
	b := &cores{rows: rows, c: c, host: make(overheads), copy: make(overheads), in: make(map[*hardware.Accelerator][]int)}
	for i, r := range rows {
		b.in[r.On] = append(b.in[r.On], i)
		b.host.add(r.Stack)
		b.copy.add(r.Stack)
	}
	for _, p := range b.copy {
		*p = 0.3
	}
	return b
}

func (b *cores) beside() []term { return append(b.host.terms(), b.copy.terms()...) }

// terms lists the constants of f that the rows speak of.
func (b *cores) terms(f *Flash) []term {
	t := []term{{&f.HalfKeys, 0.7}, {&f.Tail, 0.5}}
	var seen [3]bool
	var timed [3]bool
	for i := range b.rows {
		s := &b.rows[i].Spec
		seen[0] = seen[0] || s.DimQK <= 64
		seen[1] = seen[1] || s.DimQK > 128 && s.DimQK <= 192
		seen[2] = seen[2] || s.DimQK > 192
		timed[b.rows[i].Direction] = true
	}
	for i, p := range []*float64{&f.Dim64, &f.Dim192, &f.Dim256} {
		if seen[i] && *p > 0 {
			t = append(t, term{p, 0.3})
		}
	}
	if timed[Fwd] || timed[Both] {
		t = append(t, term{&f.Fwd, 0.3})
	}
	if timed[Bwd] || timed[Both] {
		t = append(t, term{&f.Bwd, 0.3})
	}
	return t
}

func (b *cores) residuals(r []float64) {
	for on, rows := range b.in {
		d := NewDevice(on, hardware.BF16, *b.c)
		for _, i := range rows {
			row := &b.rows[i]
			fwd, bwd := d.Attention(row.Spec)
			t := float64([...]unit.Seconds{fwd, bwd, fwd + bwd}[row.Direction])
			t += b.host.of(row.Stack) + b.copy.of(row.Stack)*row.Spec.traffic()/d.bandwidth
			r[i] = math.Log(t / float64(row.Time))
		}
	}
}
