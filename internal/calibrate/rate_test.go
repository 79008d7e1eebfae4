package calibrate

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"planner/hardware"
)

// A rate fitted to any measurements agrees with them no less well than the
// model did.
func TestRateNeverWorse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ratios := rapid.SliceOfN(rapid.Float64Range(0.05, 20), 1, 12).Draw(t, "ratios")
		tier := hardware.Tier{Bandwidth: 50e9, PerPeer: 50e9}
		r := rateOf(&tier, ratios)
		if r.After > r.Before {
			t.Fatalf("error %v before, %v after", r.Before, r.After)
		}
		if got := float64(tier.Bandwidth) / 50e9; math.Abs(got/r.Factor-1) > 1e-12 {
			t.Fatalf("bandwidth scaled by %v, want %v", got, r.Factor)
		}
	})
}
