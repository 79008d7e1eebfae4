package kernel_test

import (
	"math"
	"slices"
	"testing"

	"planner/costmodel/kernel"
	"planner/hardware"
	"planner/internal/catalog"
)

// generation is the measurements that one file of presets/kernels was fitted
// on. Left out: sources that name no shape or hold a handful of rows of one
// part, and SimuMax's products on B200 (G16), which are flat at 0.48 of peak
// for every size and stand for one release of Transformer Engine.
type generation struct {
	arch    string
	sources []string
}

var generations = []generation{
	{"ampere", []string{"G1", "G15", "G19", "G25", "G26", "G27"}},
	{"hopper", []string{"G2", "G3", "G4", "G5", "G20", "G21", "G22", "G23", "G24", "G30", "G43"}},
	{"blackwell", []string{"G6", "G7", "G9", "G10"}},
	{"blackwell-ultra", []string{"G8", "G11", "G12"}},
	{"ada", []string{"G13"}},
	{"blackwell-sm120", []string{"G14"}},
}

func load(t testing.TB, arch, part string) kernel.Constants {
	t.Helper()
	f, err := catalog.LoadKernels(arch, part)
	if err != nil {
		t.Fatal(err)
	}
	return f.Constants
}

// prior returns the constants that every fit starts from.
func prior(t testing.TB) kernel.Constants { return load(t, "generic", "") }

// TestPresetsReproduce holds the files against the fit that they came from.
func TestPresetsReproduce(t *testing.T) {
	all := products(t)
	for _, g := range generations {
		got, e := kernel.Calibrate(of(all, g.sources...), prior(t))
		want := load(t, g.arch, "")
		near(t, g.arch+": operand", got.Operand, want.Operand)
		for i := range got.Tiles {
			near(t, g.arch+": tile", got.Tiles[i], want.Tiles[i])
		}
		for i, f := range formats(&got) {
			w := formats(&want)[i]
			if f.Peak == formats(ptr(prior(t)))[i].Peak {
				continue // no row of this format
			}
			near(t, g.arch+": peak", f.Peak, w.Peak)
			near(t, g.arch+": half K", f.HalfK+20, w.HalfK+20)
			near(t, g.arch+": tail", f.Tail, w.Tail)
			near(t, g.arch+": cast", f.Cast, w.Cast)
		}
		if e.Median > 0.08 || e.P90 > 0.21 {
			t.Errorf("%s: fit no longer describes its rows: %+v", g.arch, e)
		}
	}
}

func ptr(c kernel.Constants) *kernel.Constants { return &c }

func formats(c *kernel.Constants) []*kernel.Format {
	return []*kernel.Format{&c.Half, &c.Byte, &c.Block, &c.Nibble, &c.Single}
}

// near allows for the three digits that files hold and for another compiler's
// rounding on the way to the optimum.
func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 0.05*math.Abs(want)+0.01 {
		t.Errorf("%s: fitted %.4g, file has %.4g", what, got, want)
	}
}

// TestErrorsByPart prints the table of docs/KERNELS.md and bounds it.
func TestErrorsByPart(t *testing.T) {
	all := products(t)
	for _, g := range generations {
		rows := of(all, g.sources...)
		for _, part := range partsOf(rows) {
			c := load(t, g.arch, part)
			for _, p := range []hardware.Precision{hardware.BF16, hardware.FP8, hardware.FP8Block, hardware.NVFP4} {
				these := slices.DeleteFunc(slices.Clone(rows), func(r kernel.ProductRow) bool {
					return r.On.Name != part || r.Precision != p
				})
				if len(these) < 20 {
					continue
				}
				e, big := kernel.Evaluate(these, c), kernel.Evaluate(large(these), c)
				t.Logf("| %s | %s | %d | %.1f | %.1f | %+.1f | %d | %.1f | %.1f |", part, p,
					e.Rows, 100*e.Median, 100*e.P90, 100*e.Bias, big.Rows, 100*big.Median, 100*big.P90)
				if big.Median > 0.10 {
					t.Errorf("%s %s: median error %.3f on large products", part, p, big.Median)
				}
			}
		}
	}
}

func partsOf(rows []kernel.ProductRow) []string {
	var names []string
	for _, r := range rows {
		names = append(names, r.On.Name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// large keeps the products of training steps: every dimension 1024 or more.
func large(rows []kernel.ProductRow) []kernel.ProductRow {
	return slices.DeleteFunc(slices.Clone(rows), func(r kernel.ProductRow) bool {
		return min(r.M, r.N, r.K) < 1024
	})
}

// TestLeaveOnePartOut fits a generation without one part and prices that part.
func TestLeaveOnePartOut(t *testing.T) {
	all := products(t)
	for _, g := range generations[:4] {
		rows := of(all, g.sources...)
		for _, part := range partsOf(rows) {
			in, out := split(rows, part)
			if len(out) < 100 || len(in) < 100 {
				continue
			}
			c, _ := kernel.Calibrate(in, prior(t))
			e := kernel.Evaluate(out, c)
			t.Logf("| %s | %s | %d | %.1f | %.1f | %+.1f |", g.arch, part, e.Rows, 100*e.Median, 100*e.P90, 100*e.Bias)
			if e.Median > 0.15 {
				t.Errorf("%s unseen: median error %.3f", part, e.Median)
			}
		}
	}
}

func split(rows []kernel.ProductRow, part string) (in, out []kernel.ProductRow) {
	for _, r := range rows {
		if r.On.Name == part {
			out = append(out, r)
		} else {
			in = append(in, r)
		}
	}
	return in, out
}
