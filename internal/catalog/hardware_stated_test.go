package catalog

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"planner/costmodel/collective"
	"planner/hardware"
	"planner/hardware/unit"
	"planner/verify/host"
	"planner/verify/transport"
)

const statedTOML = `
title = "two nodes"
gpus_per_node = 4
[gpu]
preset = "h100-sxm-80gb"
[[tier]]
kind = "nvlink"
ranks = 4
bandwidth = "450GB/s"
[[tier]]
kind = "ib"
bandwidth = "50GB/s"
[tier.fit]
latency = "100us"
reach = 0.5
p2p = 0.25
`

// What a cluster's file states of a link is what calls pay: steps of 100 µs,
// half the rate for rings, a quarter for a Send.
func TestStatedLinksArePriced(t *testing.T) {
	links, err := Collectives()
	if err != nil {
		t.Fatal(err)
	}
	c, err := ParseCluster("two.toml", []byte(statedTOML))
	if err != nil {
		t.Fatal(err)
	}
	c.GPUs = 8
	f := collective.NewFabric(c, links)
	s := c.Span(4, 2) // one rank of each node
	for _, x := range []struct {
		op   collective.Op
		m    unit.Bytes
		want float64 // seconds
	}{
		{collective.AllGather, 1e9, 100e-6 + 0.5*1e9/25e9},
		{collective.AllReduce, 8, 2 * 100e-6},
		{collective.Send, 1e9, 100e-6 + 1e9/12.5e9},
	} {
		got := float64(f.With(collective.Ring, x.op, x.m, s).Seconds)
		if x.op == collective.Send {
			got = float64(f.Time(x.op, x.m, s).Seconds)
		}
		// The inner link's own start, 17 µs, is not stated.
		if math.Abs(got-x.want) > 20e-6 {
			t.Errorf("%s of %.0f bytes takes %.1f us, want %.1f", x.op, float64(x.m), got*1e6, x.want*1e6)
		}
	}
}

// A flag's latency is stated too.
func TestLatencyOption(t *testing.T) {
	links, err := Collectives()
	if err != nil {
		t.Fatal(err)
	}
	price := func(o ClusterOptions) float64 {
		c, err := ClusterWith("h100-sxm-80gb", 16, o)
		if err != nil {
			t.Fatal(err)
		}
		return float64(collective.NewFabric(c, links).Time(collective.AllReduce, 8, c.Span(8, 2)).Seconds)
	}
	usual, slow := price(ClusterOptions{}), price(ClusterOptions{Latency: unit.Millisecond})
	if slow < usual+1e-3 {
		t.Errorf("all-reduce of 8 bytes takes %g s, with 1 ms between nodes %g s", usual, slow)
	}
}

// On emulated links the bundled constants and those of the engine alone give
// one price, whatever the shape and the call: what verify predicts is what
// suggest and explain say.
func TestHostLinksHaveOnePrice(t *testing.T) {
	links, err := Collectives()
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		shape := &transport.Shape{Nodes: rapid.IntRange(1, 4).Draw(t, "nodes"), PerNode: rapid.IntRange(1, 4).Draw(t, "ranks")}
		rate := rapid.Float64Range(1e6, 1e9)
		shape.Intra.Bandwidth, shape.Inter.Bandwidth = unit.BytesPerSecond(rate.Draw(t, "intra")), unit.BytesPerSecond(rate.Draw(t, "inter"))
		shape.NICsPerNode = rapid.IntRange(0, shape.PerNode).Draw(t, "nics")
		c := host.Profile(shape)
		n := c.GPUs
		if n < 2 {
			return
		}
		op := collective.Op(rapid.IntRange(0, int(collective.NumOps)-1).Draw(t, "op"))
		m := unit.Bytes(rapid.Float64Range(8, 1e9).Draw(t, "bytes"))
		a := collective.NewFabric(c, links).Time(op, m, c.Span(1, n))
		b := collective.NewFabric(c, host.Constants(c)).Time(op, m, c.Span(1, n))
		if math.Abs(float64(a.Seconds/b.Seconds)-1) > 1e-9 {
			t.Fatalf("%s of %.0f bytes: %v by the bundled constants (%s), %v by the engine's (%s)", op, float64(m), a.Seconds, a.Algorithm, b.Seconds, b.Algorithm)
		}
	})
}

func TestStatedErrors(t *testing.T) {
	for _, bad := range []string{"latency = \"2s\"", "reach = 1.5", "p2p = 0", "latency_factor = 1000.0"} {
		text := fmt.Sprintf("gpus_per_node = 8\ngpu = \"h100-sxm-80gb\"\n[[tier]]\nkind = \"nvlink\"\nbandwidth = \"450GB/s\"\n[tier.fit]\n%s\n", bad)
		if _, err := ParseCluster("bad.toml", []byte(text)); err == nil {
			t.Errorf("%s is taken", bad)
		}
	}
	var f hardware.LinkFit
	if f.States(hardware.StatedAll) {
		t.Error("nothing stated is stated")
	}
}

// A share of the nominal figure is at most 1, and no job runs at a thirtieth
// of what is predicted: such a file is in another unit.
func TestEfficiencyOutOfRange(t *testing.T) {
	for line, want := range map[string]string{
		"gemm = 7":              "gemm: 7: want a share of the nominal figure, above 0 and at most 1",
		"gemm = 0":              "gemm: 0: want a share of the nominal figure, above 0 and at most 1",
		"memory = -0.5":         "memory: -0.5: want a share of the nominal figure, above 0 and at most 1",
		"flash = [0, 1, 1, 1]":  "flash: 0: want a share of the nominal figure, above 0 and at most 1",
		"gemm_half_k = -1":      "gemm_half_k: -1: out of range: want 0 to 100000",
		`launch = "3s"`:         "launch: 3 s: out of range: want 0s to 10ms",
		"correction = -1":       "correction: -1: out of range: want 1/30 to 30",
		"correction = 1000":     "correction: 1000: out of range: want 1/30 to 30",
		"spread = [1.2, 0.9]":   "spread: 1.2 to 0.9: want two factors about 1, as in [0.9, 1.2]",
		"spread = [0.9, 1e300]": "spread: 0.9 to 1e+300: want two factors about 1, as in [0.9, 1.2]",
	} {
		text := "gpus_per_node = 8\n[gpu]\npreset = \"h100-sxm-80gb\"\n[gpu.fit]\n" + line + "\n[[tier]]\nkind = \"nvlink\"\nranks = 8\nbandwidth = \"450GB/s\"\n"
		_, err := ParseCluster("ours.toml", []byte(text))
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "ours.toml:5: ") {
			t.Errorf("%s: %v, want %s", line, err, want)
		}
	}
}
