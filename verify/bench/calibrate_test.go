package bench

import (
	"math"
	"testing"

	"planner/costmodel/collective"
	"planner/costmodel/collective/steps"
	"planner/hardware/unit"
	"planner/verify/engine"
	"planner/verify/transport"
)

// TestCurve interpolates over the logarithm and keeps to the ends.
func TestCurve(t *testing.T) {
	c := curve{{1 << 10, 1e-10, 0}, {1 << 20, 3e-10, 2e-10}}
	for bytes, want := range map[float64]price{
		1: {1, 1e-10, 0}, 1 << 10: {1, 1e-10, 0}, 1 << 15: {1, 2e-10, 1e-10}, 1 << 20: {1, 3e-10, 2e-10}, 1 << 40: {1, 3e-10, 2e-10},
	} {
		got := c.at(bytes)
		if math.Abs(float64(got.move-want.move)) > 1e-15 || math.Abs(float64(got.reduce-want.reduce)) > 1e-15 {
			t.Errorf("at %g: %+v, want %+v", bytes, got, want)
		}
	}
	if got := (curve)(nil).at(1); got != (price{}) {
		t.Errorf("no curve: %+v", got)
	}
}

// TestMemoryCostsMore: a call larger than the caches is predicted at the price
// of memory.
func TestMemoryCostsMore(t *testing.T) {
	w, err := transport.NewLocal(1, transport.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c, err := engine.New(w.World(0))
	if err != nil {
		t.Fatal(err)
	}
	m := model{latency: 1e-6, curve: curve{{1 << 20, 1e-10, 0}, {64 << 20, 3e-10, 0}}}
	s := steps.Spec{Op: collective.AllGather, Alg: steps.Direct, Ranks: 2}
	for bytes, perByte := range map[int]unit.Seconds{1 << 10: 1e-10, 256 << 20: 3e-10} {
		s.Count = bytes
		got, err := m.predict(c, s, 1)
		// One message of half the bytes each way.
		want := (1e-6 + float64(perByte)*float64(bytes)/2) * 1e6
		if err != nil || math.Abs(got/want-1) > 1e-9 {
			t.Errorf("%d bytes: %v us, %v, want %v", bytes, got, err, want)
		}
	}
}

// TestFusedIsCheaper: a fused AllReduce is priced as a ReduceScatter and half
// an AllGather, one run step by step as both.
func TestFusedIsCheaper(t *testing.T) {
	w, err := transport.NewLocal(1, transport.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c, err := engine.New(w.World(0))
	if err != nil {
		t.Fatal(err)
	}
	m := model{latency: 1e-6, curve: curve{{1, 1e-10, 1e-11}}}
	s := steps.Spec{Op: collective.AllReduce, Alg: steps.TwoShot, Ranks: 2, Count: 1 << 20}
	moved, reduced := 1e-10*(1<<19), 1e-11*(1<<19)
	for fuse, want := range map[int]float64{1: 1.5*(1e-6+moved) + reduced, 0: 2*(1e-6+moved) + reduced} {
		tuning := c.Tuning()
		tuning.Fuse, tuning.Segment = fuse, 0
		c.SetTuning(tuning)
		if got, err := m.predict(c, s, 1); err != nil || math.Abs(got/want/1e6-1) > 1e-9 {
			t.Errorf("fuse from %d: %v us, %v, want %v", fuse, got, err, want*1e6)
		}
	}
}
