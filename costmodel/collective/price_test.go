package collective

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"planner/hardware"
	"planner/hardware/unit"
)

// machine is k nodes of g Hopper GPUs, 450 GB/s of NVLink and 50 of network.
func machine(kind, net hardware.LinkKind, g, k int) *hardware.Cluster {
	return &hardware.Cluster{
		GPU: &hardware.Accelerator{Arch: "hopper"}, GPUs: g * k, PerNode: g,
		Tiers: []hardware.Tier{{Kind: kind, Ranks: g, Bandwidth: 450e9}, {Kind: net, Bandwidth: 50e9}},
	}
}

// H100 node: ring about 368 GB/s of bus bandwidth, NVLS 480 with 8 GPUs and
// 420/440/460 with 5, 6, 7 (github.com/NVIDIA/nccl-tests/issues/212,
// github.com/NVIDIA/nccl/issues/1455). Within 8 %.
func TestHopperNode(t *testing.T) {
	prior := Prior()
	f := NewFabric(machine(hardware.NVLink, hardware.InfiniBand, 8, 1), &prior)
	busbw := func(p Price, n int) float64 {
		return AllReduce.BusFactor(n) * float64(16*unit.GiB) / float64(p.Seconds) / 1e9
	}
	span := func(n int) hardware.Span {
		return hardware.Span{Stride: 1, Size: n, Domains: 1, PerDomain: n, Siblings: 1}
	}
	if got := busbw(f.With(Ring, AllReduce, 16*unit.GiB, span(8)), 8); math.Abs(got/368-1) > 0.08 {
		t.Errorf("ring over 8: %.0f GB/s, want 368", got)
	}
	for n, want := range map[int]float64{2: 368, 3: 368, 4: 368, 5: 420, 6: 440, 7: 460, 8: 480} {
		if got := busbw(f.Time(AllReduce, 16*unit.GiB, span(n)), n); math.Abs(got/want-1) > 0.08 {
			t.Errorf("all-reduce over %d: %.0f GB/s, want %.0f", n, got, want)
		}
	}
}

// All-to-all over 2 and 6 nodes of 8 at 50 GB/s a GPU cannot exceed N/(N−1)
// NICs of algorithm bandwidth (github.com/NVIDIA/nccl-tests/issues/267).
func TestAllToAllBelowNIC(t *testing.T) {
	prior := Prior()
	for k, upper := range map[int]float64{2: 100, 6: 60} {
		c := machine(hardware.NVLink, hardware.InfiniBand, 8, k)
		p := NewFabric(c, &prior).Time(AllToAll, 16*unit.GiB, c.Span(1, 8*k))
		got := float64(16*unit.GiB) / float64(p.Seconds) / 1e9
		if got > upper || got < 0.8*upper {
			t.Errorf("%d nodes: %.1f GB/s, want at most %.0f and near it", k, got, upper)
		}
	}
}

// Whatever the machine, group and call: finite, monotone and continuous in the
// message, and no faster than the wire.
func TestPriceProperties(t *testing.T) {
	prior := Prior()
	inner := []hardware.LinkKind{hardware.NVLink, hardware.NVLinkMesh, hardware.XGMI, hardware.PCIe, hardware.PCIeHost, hardware.Host}
	outer := []hardware.LinkKind{hardware.InfiniBand, hardware.RoCE, hardware.EFA, hardware.TCPX, hardware.TCPXO, hardware.Slingshot, hardware.Ethernet}
	rapid.Check(t, func(t *rapid.T) {
		g := 1 << rapid.IntRange(0, 3).Draw(t, "log2 g")
		k := 1 << rapid.IntRange(0, 11).Draw(t, "log2 k")
		c := machine(rapid.SampledFrom(inner).Draw(t, "inner"), rapid.SampledFrom(outer).Draw(t, "outer"), g, k)
		c.GPU.Arch = rapid.SampledFrom([]string{"", "ampere", "hopper", "blackwell-ultra", "cdna3"}).Draw(t, "arch")
		if g*k < 2 {
			return
		}
		f, s := NewFabric(c, &prior), c.Span(1, g*k)
		op := Op(rapid.IntRange(0, int(NumOps)-1).Draw(t, "op"))
		m := unit.Bytes(rapid.Float64Range(8, 16e9).Draw(t, "bytes"))
		a, b := f.Time(op, m, s), f.Time(op, m*1.001, s)
		if !(a.Seconds > 0) || math.IsInf(float64(a.Seconds), 0) {
			t.Fatalf("%v of %v takes %v", op, m, a.Seconds)
		}
		if b.Seconds < a.Seconds || b.Seconds > a.Seconds*1.01 {
			t.Fatalf("%v: %v takes %v and 0.1 %% more takes %v", op, m, a.Seconds, b.Seconds)
		}
		if a.Latency < 0 || a.Latency > a.Seconds {
			t.Fatalf("latency %v of %v", a.Latency, a.Seconds)
		}
		rate := 450e9
		if s.Domains > 1 {
			rate = 50e9
		}
		if wire := float64(a.LinkBytes) / rate; float64(a.Seconds) < wire*(1-1e-9) {
			t.Fatalf("%v of %v: %v, faster than the link's %v s", op, m, a.Seconds, wire)
		}
	})
}

func TestTimeDoesNotAllocate(t *testing.T) {
	prior := Prior()
	c := machine(hardware.NVLink, hardware.InfiniBand, 8, 16)
	f, s := NewFabric(c, &prior), c.Span(1, 128)
	if n := testing.AllocsPerRun(100, func() { f.Time(AllReduce, unit.MiB, s) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkTime(b *testing.B) {
	prior := Prior()
	c := machine(hardware.NVLink, hardware.InfiniBand, 8, 16)
	f, s := NewFabric(c, &prior), c.Span(1, 128)
	for b.Loop() {
		f.Time(AllReduce, unit.MiB, s)
	}
}

// Four ports of 100 Gb/s serve eight GPUs: a stage of four that sends on has a
// port each, eight that send share them.
func TestHopOverSharedPorts(t *testing.T) {
	prior := Prior()
	c := machine(hardware.NVLink, hardware.InfiniBand, 8, 2)
	c.Tiers[1] = hardware.Tier{Kind: hardware.InfiniBand, Bandwidth: 6.25e9, NICs: 4, Ports: 4, PortRate: 12.5e9, Oversubscription: 1}
	f := NewFabric(c, &prior)
	const m = 1 << 30
	half, all := f.Time(Send, m, c.Hop(4, 1, 2)), f.Time(Send, m, c.Hop(8, 0, 1))
	if r := float64(all.Seconds / half.Seconds); math.Abs(r-2) > 0.02 {
		t.Errorf("eight ranks on four ports take %.2f times as long as four, want 2", r)
	}
}
