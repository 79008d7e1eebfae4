package kernel_test

import (
	"fmt"
	"testing"

	"planner/costmodel/kernel"
	"planner/hardware"
	"planner/internal/catalog"
)

// generation is the measurements that one file of presets/kernels was fitted on.
type generation struct {
	arch    string
	sources []string
}

var generations = []generation{
	{"ampere", []string{"G1", "G15", "G19", "G25", "G26", "G27"}},
	{"hopper", []string{"G2", "G3", "G4", "G5", "G20", "G21", "G22", "G23", "G24", "G30", "G43"}},
	{"b200-te", []string{"G16"}},
	{"blackwell", []string{"G6", "G7", "G9", "G10"}},
	{"blackwell-ultra", []string{"G8", "G11", "G12"}},
	{"ada", []string{"G13"}},
	{"blackwell (sm120)", []string{"G14"}},
}

func show(c kernel.Constants) string {
	f := func(x kernel.Format) string {
		return fmt.Sprintf("{%.3f %.0f %.2f | %.2f %.2f}", x.Peak, x.HalfK, x.Tail, x.Cast, x.CastKernels)
	}
	return fmt.Sprintf("half%s byte%s block%s nibble%s single%s tiles %.3f operand %.3f launch %.2fus grouped %.3f %.2fus",
		f(c.Half), f(c.Byte), f(c.Block), f(c.Nibble), f(c.Single), c.Tiles, c.Operand, float64(c.Launch)*1e6, c.Grouped, float64(c.GroupLaunch)*1e6)
}

// prior returns the constants that every fit starts from.
func prior(t testing.TB) kernel.Constants {
	f, err := catalog.LoadKernels("generic", "")
	if err != nil {
		t.Fatal(err)
	}
	return f.Constants
}

func TestCalibrateGenerations(t *testing.T) {
	all := products(t)
	for _, g := range generations {
		rows := of(all, g.sources...)
		c, e := kernel.Calibrate(rows, prior(t))
		t.Logf("%s: %s\n%+v", g.arch, show(c), e)
		for _, s := range g.sources {
			for _, p := range []hardware.Precision{hardware.BF16, hardware.FP16, hardware.FP8, hardware.FP8Block, hardware.NVFP4, hardware.FP32} {
				var part []kernel.ProductRow
				for _, r := range of(all, s) {
					if r.Precision == p {
						part = append(part, r)
					}
				}
				if len(part) > 0 {
					t.Logf("   %s %s %s %+v", s, part[0].On.Name, p, kernel.Evaluate(part, c))
				}
			}
		}
	}
}
