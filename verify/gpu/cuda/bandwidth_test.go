package cuda

import (
	"testing"

	"planner/verify/gpu/fakes"
)

// TestBandwidth: the fake's clock says 0.5 ms between any two events, so ten
// copies of 1 MB are 20 GB/s.
func TestBandwidth(t *testing.T) {
	path, reset := fakes.Driver(t)
	reset(fakes.CUDA{Devices: 2})
	g := group(t, path, []int{0, 1})
	for from := range 2 {
		for to := range 2 {
			got, err := g.Bandwidth(from, to, 1_000_000, 10)
			if err != nil || got < 19.99e9 || got > 20.01e9 {
				t.Errorf("%d to %d: %v, %v: want 20e9", from, to, got, err)
			}
		}
	}
	if _, err := g.Bandwidth(0, 0, 0, 1); err == nil {
		t.Error("a copy of nothing was measured")
	}
}
