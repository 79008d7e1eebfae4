package calibrate

import (
	"math"
	"testing"

	"planner/costmodel/collective"
	"planner/hardware/unit"
	"planner/internal/catalog"
)

// A cluster whose network is slower by four fifths in rate and by three times
// in latency: its bench gives both back, and the file that is written prices
// calls as the cluster does.
func TestFromBenchFindsRateAndLatency(t *testing.T) {
	links, err := catalog.Collectives()
	if err != nil {
		t.Fatal(err)
	}
	truth, err := catalog.Cluster("h100-sxm-80gb", 16)
	if err != nil {
		t.Fatal(err)
	}
	net := &truth.Tiers[truth.ScaleUp+1]
	net.Bandwidth, net.Fit.LatencyFactor = net.Bandwidth.Times(0.8), 3
	real := collective.NewFabric(truth, links)
	var lines []Bench
	for m := unit.Bytes(1024); m <= 8e9; m *= 4 {
		for _, op := range []collective.Op{collective.AllReduce, collective.AllGather} {
			lines = append(lines, Bench{op, m, real.Time(op, m, truth.Span(1, 16)).Seconds, 16, 2})
		}
	}
	c, err := catalog.Cluster("h100-sxm-80gb", 16)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := FromBench(c, lines); err != nil {
		t.Fatal(err)
	}
	back, err := catalog.ParseCluster("ours.toml", []byte(HardwareTOML(c, nil, "bench", "2026-11-29")))
	if err != nil {
		t.Fatal(err)
	}
	back.GPUs = 16
	got := &back.Tiers[back.ScaleUp+1]
	if math.Abs(float64(got.Bandwidth/net.Bandwidth)-1) > 0.05 || math.Abs(got.Fit.LatencyFactor/3-1) > 0.2 {
		t.Errorf("rate %v and latency ×%.2f, want %v and ×3", got.Bandwidth, got.Fit.LatencyFactor, net.Bandwidth)
	}
	f := collective.NewFabric(back, links)
	for _, l := range lines {
		if r := float64(f.Time(l.Op, l.Bytes, back.Span(1, 16)).Seconds / l.Seconds); math.Abs(r-1) > 0.15 {
			t.Errorf("%s of %.0f bytes: %.2f of what the cluster takes", l.Op, float64(l.Bytes), r)
		}
	}
}
