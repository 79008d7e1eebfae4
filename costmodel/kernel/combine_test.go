package kernel

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"planner/hardware"
	"planner/hardware/unit"
)

func TestSoftMaxIsBetweenMaximumAndSum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := unit.Seconds(rapid.Float64Range(0, 10).Draw(t, "a"))
		b := unit.Seconds(rapid.Float64Range(0, 10).Draw(t, "b"))
		p := rapid.Float64Range(1, 50).Draw(t, "sharpness")
		got := float64(SoftMax(a, b, p))
		if got < float64(max(a, b)) || got > float64(a+b)*(1+1e-12) {
			t.Fatalf("SoftMax(%v, %v, %g) = %g", a, b, p, got)
		}
		if math.Abs(got-float64(SoftMax(b, a, p))) > 1e-12 {
			t.Fatal("not symmetric")
		}
	})
}

func TestSoftMaxValues(t *testing.T) {
	for _, c := range []struct{ a, b, p, want float64 }{
		{3, 4, 2, 5}, {3, 4, 1, 7}, {1, 1, 4, math.Pow(2, 0.25)}, {1, 1, 3, math.Cbrt(2)},
		{0, 5, 4, 5}, {1e-9, 1, 8, 1}, {math.Inf(1), 1, 4, math.Inf(1)},
	} {
		got := float64(SoftMax(unit.Seconds(c.a), unit.Seconds(c.b), c.p))
		if got != c.want && math.Abs(got-c.want) > 1e-12 {
			t.Errorf("SoftMax(%g, %g, %g) = %g, want %g", c.a, c.b, c.p, got, c.want)
		}
	}
}

func TestStreamReachesItsShare(t *testing.T) {
	d := h100(hardware.BF16)
	if got := 10e9 / float64(d.Stream(10*unit.GB)); math.Abs(got/(0.84*3.35e12)-1) > 0.01 {
		t.Errorf("10 GB stream at %g B/s, want 0.84 of 3.35 TB/s", got)
	}
	last := unit.Seconds(0)
	for b := unit.Bytes(1); b < 1e11; b *= 1.5 {
		got := d.Stream(b)
		if got < last || got < d.Launch() {
			t.Fatalf("%v takes %v, less than a smaller one (%v) or a launch", b, got, last)
		}
		last = got
	}
	if small := d.Stream(unit.MiB); small > d.Launch()+unit.Microsecond {
		t.Errorf("1 MiB takes %v over a launch of %v: it is in the L2", small, d.Launch())
	}
}

func TestWithKeepsWhatIsNotGiven(t *testing.T) {
	c := rounded()
	if got := c.With(hardware.Efficiency{}); got != c {
		t.Errorf("nothing given, %+v changed to %+v", c, got)
	}
	got := c.With(hardware.Efficiency{GEMM: 0.7, GEMMHalfK: 400, Launch: 5e-6, Flash: [4]float64{0, 0, 0.3, 0.4}})
	if got.Half.Peak != 0.7 || got.Half.HalfK != 400 || got.Byte.HalfK != 800 || got.Launch != 5e-6 || got.Byte.Peak != c.Byte.Peak {
		t.Errorf("given figures did not take: %+v", got)
	}
}

// A share that a run fit gives is of both directions together at the length
// of its runs: 4 Ki causal tokens, 2 Ki keys a query.
func TestWithFlashIsOfBothDirections(t *testing.T) {
	c := rounded().With(hardware.Efficiency{Flash: [4]float64{0.43}})
	c.Launch = 0
	d := NewDevice(&hardware.Accelerator{SMs: 1, MemoryBandwidth: 1e30, Peak: h100Peak()}, hardware.BF16, c)
	s := AttentionSpec{Batch: 1, Heads: 128, KVHeads: 128, SeqQ: 4096, SeqK: 4096, DimQK: 128, DimV: 128, Causal: true, Kernel: Flash3}
	f, b := d.Attention(s)
	if got := 3.5 * float64(s.FLOPs()) / float64(f+b) / 989.4e12; math.Abs(got-0.43) > 0.001 {
		t.Errorf("both directions at %.4f of the peak, want 0.43", got)
	}
}
