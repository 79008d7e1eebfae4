package catalog

import (
	"planner/hardware"
	"planner/hardware/unit"
)

// MostCorrection bounds what is measured over what is predicted: it tells a slow
// cluster from another job or unit (60, 1000). The slowest published runs take
// 12 times what is predicted (docs/ACCURACY.md).
const MostCorrection = 30

// checkEfficiency records what no accelerator can be.
func checkEfficiency(d *decoder, path string, e *hardware.Efficiency) {
	share := func(name string, v, least float64) {
		if !(v >= least && v <= 1) {
			d.fail(join(path, name), "%s: %g: want a share of the nominal figure, above 0 and at most 1", name, v)
		}
	}
	const little = 1e-3
	share("gemm", e.GEMM, little)
	share("memory", e.Memory, little)
	share("gemm_fp8", e.GEMMFP8, 0) // 0: the part has no such format
	share("gemm_fp4", e.GEMMFP4, 0)
	share("boost", e.Boost, 0)
	share("flash_triton", e.FlashTriton, 0)
	for _, v := range e.Flash {
		share("flash", v, little)
	}
	if !(e.GEMMHalfK >= 0 && e.GEMMHalfK <= 1e5) {
		d.fail(join(path, "gemm_half_k"), "gemm_half_k: %g: out of range: want 0 to 100000", e.GEMMHalfK)
	}
	if !(e.Launch >= 0 && e.Launch <= unit.Seconds(1e-2)) {
		d.fail(join(path, "launch"), "launch: %g s: out of range: want 0s to 10ms", float64(e.Launch))
	}
	checkCorrection(d, path, e)
}

func checkCorrection(d *decoder, path string, e *hardware.Efficiency) {
	if e.Correction != 0 && !(e.Correction >= 1./MostCorrection && e.Correction <= MostCorrection) {
		d.fail(join(path, "correction"), "correction: %g: out of range: want 1/%d to %d", e.Correction, MostCorrection, MostCorrection)
	}
	low, high := e.Spread[0], e.Spread[1]
	switch {
	case low != 0 && high == 0:
		d.fail(join(path, "spread"), "spread: one factor, %g: want the lowest and the highest, as in [0.9, 1.2]", low)
	case e.Spread != [2]float64{} && !(low > 0 && low <= 1 && high >= 1 && high <= MostCorrection):
		d.fail(join(path, "spread"), "spread: %g to %g: want two factors about 1, as in [0.9, 1.2]", low, high)
	}
}
