package calibrate

import (
	"fmt"
	"math"
	"slices"
	"strings"
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
	back := written(t, "h100-sxm-80gb", c)
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

// benchText is a log of AllReduce over eight H100 of one node, as nccl-tests
// prints it: lines of bytes, microseconds and the two #wrong columns.
func benchText(lines ...[4]string) string {
	var b strings.Builder
	b.WriteString("# Collective test starting: all_reduce_perf\n")
	for r := range 8 {
		fmt.Fprintf(&b, "#  Rank  %d Group  0 Pid 25 on node-0 device  %d [0x53] NVIDIA H100 80GB HBM3\n", r, r)
	}
	b.WriteString("#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong\n")
	for _, l := range lines {
		fmt.Fprintf(&b, "%s 1 float sum -1 %s 0 0 %s %s 0 0 %s\n", l[0], l[1], l[2], l[1], l[3])
	}
	return b.String()
}

// Lines whose results were wrong do not count; N/A is a check that was not made.
func TestReadBenchLeavesWrongOut(t *testing.T) {
	for _, tt := range []struct {
		out, in     string
		lines, left int
	}{{"0", "0", 2, 0}, {"N/A", "N/A", 2, 0}, {"3", "0", 1, 1}, {"0", "1", 1, 1}} {
		log, err := ReadBench("b.txt", strings.NewReader(benchText([4]string{"33554432", "200", "0", "0"}, [4]string{"67108864", "400", tt.out, tt.in})))
		if err != nil || len(log.Lines) != tt.lines || log.Wrong != tt.left || !slices.Equal(log.Devices, []string{"NVIDIA H100 80GB HBM3"}) {
			t.Errorf("#wrong %s and %s: %+v, %v, want %d lines and %d left out", tt.out, tt.in, log, err, tt.lines, tt.left)
		}
	}
	_, err := ReadBench("b.txt", strings.NewReader(benchText([4]string{"33554432", "200", "7", "0"})))
	if err == nil || !strings.HasPrefix(err.Error(), "b.txt: #wrong above 0 in every line") {
		t.Errorf("%v", err)
	}
}

// A gigabyte in 4 ms is what NVLink does (450 GB/s a direction); in 4 µs or 4 s
// the times are in another unit.
func TestFromBenchRefusesOtherUnits(t *testing.T) {
	for us, ok := range map[string]bool{"4000": true, "4": false, "4000000": false} {
		log, err := ReadBench("b.txt", strings.NewReader(benchText([4]string{"1073741824", us, "0", "0"})))
		if err != nil {
			t.Fatal(err)
		}
		c, err := catalog.Cluster("h100-sxm-80gb", 8)
		if err != nil {
			t.Fatal(err)
		}
		if _, err = FromBench(c, log.Lines); (err == nil) != ok || err != nil && !strings.Contains(err.Error(), "want the times of nccl-tests in microseconds") {
			t.Errorf("%s µs: %v", us, err)
		}
	}
}
