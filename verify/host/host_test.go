package host_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"planner/costmodel/collective"
	"planner/hardware"
	"planner/hardware/unit"
	"planner/verify/host"
	"planner/verify/transport"
)

func shape(t *testing.T, text string) *transport.Shape {
	t.Helper()
	s, err := transport.ParseShape(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestProfile: a cluster has the tiers of its shape; ranks that share a NIC have
// their part of it when all send.
func TestProfile(t *testing.T) {
	for _, tt := range []struct {
		shape       string
		tiers, nics int
		inner, each unit.BytesPerSecond
		port        unit.BytesPerSecond
	}{
		{"1x4:nvlink=150MB/s", 1, 0, 150e6, 0, 0},
		{"2x2:nvlink=400MB/s,ib=40MB/s,delay=1ms", 2, 0, 400e6, 40e6, 40e6},
		{"2x4:nvlink=400MB/s,ib=40MB/s,nics=1", 2, 1, 400e6, 10e6, 40e6},
		{"2x4:nvlink=400MB/s,ib=40MB/s,nics=2", 2, 2, 400e6, 20e6, 40e6},
		{"4x1:ib=60MB/s", 2, 0, 4e9, 60e6, 60e6}, // inside: as fast as the machine
	} {
		s := shape(t, tt.shape)
		c := host.Profile(s)
		if len(c.Tiers) != tt.tiers || c.GPUs != s.Ranks() || c.PerNode != s.PerNode || c.GPU.Arch != host.Arch {
			t.Fatalf("%s: %+v", tt.shape, c)
		}
		if c.Tiers[0].Bandwidth != tt.inner {
			t.Errorf("%s: inside %v, want %v", tt.shape, c.Tiers[0].Bandwidth, tt.inner)
		}
		if tt.tiers == 1 {
			continue
		}
		out := c.Tiers[1]
		if out.Bandwidth != tt.each || out.NICs != tt.nics || out.PortRate != tt.port || out.Fit.Latency != s.Inter.Delay+host.Wake {
			t.Errorf("%s: between %+v, want %v a rank, %d NICs of %v", tt.shape, out, tt.each, tt.nics, tt.port)
		}
	}
}

// TestPerturb: every term is off by at most the share, the same for the same
// seed, and the original stays as it was.
func TestPerturb(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := host.Profile(&transport.Shape{Nodes: 2, PerNode: 2, Intra: transport.Link{Bandwidth: 4e8}, Inter: transport.Link{Bandwidth: 4e7, Delay: 1e-3}})
		seed, share := rapid.Uint64().Draw(t, "seed"), rapid.Float64Range(0, 0.5).Draw(t, "share")
		p, again := host.Perturb(c, share, seed), host.Perturb(c, share, seed)
		for i := range c.Tiers {
			a, b := &c.Tiers[i], &p.Tiers[i]
			for _, k := range []float64{float64(b.Bandwidth / a.Bandwidth), float64(b.Fit.Latency / a.Fit.Latency)} {
				if math.Abs(k-1) > share+1e-12 {
					t.Fatalf("tier %d is off by %v, at most %v", i, k-1, share)
				}
			}
			if b.Bandwidth != again.Tiers[i].Bandwidth || b.Fit != again.Tiers[i].Fit {
				t.Fatalf("seed %d gives two profiles", seed)
			}
		}
		if c.Tiers[1].Bandwidth != 4e7 {
			t.Fatal("the profile that was perturbed changed")
		}
	})
}

// TestPrices: what the constants make of a profile is the classical cost of a
// ring, (n−1)(α + m/(n·β)) for an all-gather of m (Chan, Heimlich, Purkayastha
// and van de Geijn 2007), with the latency and the rate that the tier states,
// reach included; a send is α + m/β.
func TestPrices(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := host.Profile(&transport.Shape{Nodes: 1, PerNode: 8, Intra: transport.Link{Bandwidth: 1e8}})
		alpha, beta := rapid.Float64Range(1e-6, 1e-2).Draw(t, "latency"), rapid.Float64Range(1e6, 1e10).Draw(t, "rate")
		reach, m := rapid.Float64Range(0.2, 1).Draw(t, "reach"), rapid.Float64Range(1, 1e9).Draw(t, "bytes")
		n := rapid.SampledFrom([]int{2, 4, 8}).Draw(t, "ranks")
		c.Tiers[0].Bandwidth, c.Tiers[0].Fit = unit.BytesPerSecond(beta), hardware.LinkFit{Latency: unit.Seconds(alpha), Reach: reach, P2P: reach}
		f := collective.NewFabric(c, host.Constants(c))
		k := float64(n)
		want := (k - 1) * (alpha + m/k/(beta*reach))
		if got := float64(f.Time(collective.AllGather, unit.Bytes(m), c.Span(1, n)).Seconds); math.Abs(got/want-1) > 1e-9 {
			t.Fatalf("all_gather of %v bytes on %d: %v s, want %v", m, n, got, want)
		}
		want = alpha + m/(beta*reach)
		if got := float64(f.Time(collective.Send, unit.Bytes(m), c.Span(1, 2)).Seconds); math.Abs(got/want-1) > 1e-9 {
			t.Fatalf("send of %v bytes: %v s, want %v", m, got, want)
		}
	})
}

// TestNoSwitchNoTree: prices never choose what the engine does not have.
func TestNoSwitchNoTree(t *testing.T) {
	c := host.Profile(shape(t, "4x2:nvlink=400MB/s,ib=40MB/s,delay=1ms"))
	f := collective.NewFabric(c, host.Constants(c))
	for m := unit.Bytes(1); m < 1<<30; m *= 4 {
		for _, n := range []int{2, 4, 8} {
			if a := f.Time(collective.AllReduce, m, c.Span(1, n)).Algorithm; a != collective.Ring {
				t.Errorf("all_reduce of %v on %d ranks by %v", m, n, a)
			}
		}
	}
}

// TestMeasure: memory of any machine of this century copies 100 MB/s to 10 TB/s
// a core.
func TestMeasure(t *testing.T) {
	m := host.Measure()
	for _, r := range []unit.BytesPerSecond{m.Copy, m.Reduce} {
		if r < 100e6 || r > 1e13 {
			t.Errorf("%v: not what memory does", r)
		}
	}
	if m.Cores != host.Cores() || m.Cores < 1 {
		t.Errorf("%d cores", m.Cores)
	}
}

// TestRanks: one rank a core, an even number, 4 to 8.
func TestRanks(t *testing.T) {
	for cores, want := range map[int]int{1: 4, 2: 4, 4: 4, 6: 6, 7: 6, 8: 8, 128: 8} {
		if got := (host.Machine{Cores: cores}).Ranks(); got != want {
			t.Errorf("%d cores: %d ranks, want %d", cores, got, want)
		}
	}
}

// TestCluster: the machine as it was measured is a node of ranks.
func TestCluster(t *testing.T) {
	c := host.Machine{}.Cluster(6, host.Link{Latency: 20e-6, Shared: 3e9})
	if c.GPUs != 6 || c.PerNode != 6 || len(c.Tiers) != 1 || c.Tiers[0].Bandwidth != 3e9 || c.Tiers[0].Fit.Latency != 20e-6 {
		t.Errorf("%+v", c)
	}
}
