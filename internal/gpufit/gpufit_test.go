package gpufit

import (
	"bytes"
	"context"
	"io"
	"math"
	"strings"
	"testing"

	"planner/costmodel/collective"
	"planner/costmodel/kernel"
	"planner/hardware"
	"planner/hardware/unit"
	"planner/internal/calibrate"
	"planner/internal/catalog"
	"planner/verify/bench"
	"planner/verify/gpu/fakes"
	"planner/verify/gpu/start"
	"planner/verify/gpu/worker"
)

func dgx(t *testing.T) *hardware.Cluster {
	t.Helper()
	c, err := catalog.Cluster("h100-sxm-80gb", 8)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// pretend is what a machine measures whose products reach a share of the peak
// and lose half at K = half, whose memory reaches a share, and whose copies
// between GPUs a share of the link.
func pretend(t *testing.T, c *hardware.Cluster, share, half, memory, p2p float64) *start.Machine {
	t.Helper()
	k, err := catalog.LoadKernels(c.GPU.Arch, c.GPU.Name)
	if err != nil {
		t.Fatal(err)
	}
	own := k.Constants.With(c.GPU.Fit)
	own.Half.Peak, own.Half.HalfK = share, half
	d := kernel.NewDevice(c.GPU, hardware.BF16, own)
	m := &start.Machine{GPU: "NVIDIA H100 80GB HBM3", GPUs: 2, Library: "driver of CUDA 12.4, cuBLASLt 12.5.0"}
	for _, s := range worker.CalibrationShapes() {
		m.Gemms = append(m.Gemms, start.Gemm{M: s.M, N: s.N, K: s.K, Seconds: float64(d.GEMM(float64(s.N), float64(s.M), float64(s.K)))})
	}
	for i, bytes := range []int{1 << 20, 256 << 20, 512 << 20, 1 << 30} {
		m.Traffic = append(m.Traffic, start.Traffic{Kernel: "norm", Bytes: bytes, Seconds: float64(bytes) / (memory * float64(c.GPU.MemoryBandwidth) * []float64{5, 1, 0.98, 1.02}[i])})
	}
	rate := p2p * float64(c.Tiers[c.ScaleUp].Bandwidth)
	m.Peers = [][]float64{{1.4e12, rate}, {rate, 1.4e12}}
	return m
}

// TestFitFindsWhatTheMachineIs and writes it as a cluster that reads back so.
func TestFitFindsWhatTheMachineIs(t *testing.T) {
	c := dgx(t)
	m := pretend(t, c, 0.62, 180, 0.77, 0.8)
	f, err := Of(c, m, nil)
	if err != nil {
		t.Fatal(err)
	}
	near := func(what string, got, want, by float64) {
		if math.Abs(got/want-1) > by {
			t.Errorf("%s: %.4g: want %.4g", what, got, want)
		}
	}
	near("GEMM", f.GEMM, 0.62, 0.03)
	near("K", f.HalfK, 180, 0.15)
	near("memory", f.Memory, 0.77, 0.001)
	near("peers", f.P2P, 0.8, 0.001)
	if f.After > 0.01 || f.After > f.Before {
		t.Errorf("products off by %.3f before, %.3f after", f.Before, f.After)
	}
	text, err := f.TOML("h100-sxm-80gb", c, m, "2026-11-29")
	if err != nil {
		t.Fatal(err)
	}
	back, err := catalog.ParseCluster("ours.toml", []byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	near("GEMM read back", back.GPU.Fit.GEMM, f.GEMM, 1e-3)
	near("memory read back", back.GPU.Fit.Memory, f.Memory, 1e-3)
	near("peers read back", back.Tiers[back.ScaleUp].Fit.P2P, f.P2P, 1e-3)
	if !strings.Contains(text, "planner-gpu on 2 × NVIDIA H100 80GB HBM3, driver of CUDA 12.4") {
		t.Error(text)
	}
}

// TestLinksAreThoseOfTheCalls: collectives that take 1.25 times what the model
// says give links of 0.8 of their rate.
func TestLinksAreThoseOfTheCalls(t *testing.T) {
	c := dgx(t)
	links, err := catalog.Collectives()
	if err != nil {
		t.Fatal(err)
	}
	fabric := collective.NewFabric(c, links)
	d := &start.Document{Ranks: 8}
	for _, call := range Calls(8) {
		op, _ := collective.ParseOp(call.Op)
		r := bench.Row{Op: call.Op, Size: call.Bytes}
		r.Out.Time = 1e6 * 1.25 * float64(fabric.Time(op, unit.Bytes(call.Bytes), c.Span(1, 8)).Seconds)
		d.Rows = append(d.Rows, r)
	}
	before := float64(c.Tiers[c.ScaleUp].Bandwidth)
	f, err := Of(c, pretend(t, c, 0.7, 100, 0.8, 0.8), Lines(d, 1))
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Links) != 1 || math.Abs(f.Links[0].Factor-0.8) > 0.02 || math.Abs(float64(c.Tiers[c.ScaleUp].Bandwidth)/before-0.8) > 0.03 {
		t.Errorf("%+v", f.Links)
	}
}

func TestNothingMeasured(t *testing.T) {
	for want, m := range map[string]*start.Machine{
		"no products were measured": {}, "took 0 s": {Gemms: []start.Gemm{{M: 8, N: 8, K: 8}}},
		"no memory traffic": {Gemms: []start.Gemm{{M: 8, N: 8, K: 8, Seconds: 1e-5}}},
	} {
		if _, err := Of(dgx(t), m, []calibrate.Bench{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: want %q", err, want)
		}
	}
}

// TestBenchReadsAsNCCLTests: what planner-gpu bench prints is what planner
// calibrate --from reads, ranks, sizes and times.
func TestBenchReadsAsNCCLTests(t *testing.T) {
	path, reset := fakes.Driver(t)
	reset(fakes.CUDA{Devices: 4})
	o := worker.Default()
	o.Driver, o.Begin, o.End, o.Iters, o.Warmup = path, 1<<10, 4<<10, 2, 0
	o.Ops = []collective.Op{collective.AllReduce, collective.AllToAll}
	var out bytes.Buffer
	if err := worker.Run(context.Background(), o, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	log, err := calibrate.ReadBench("bench.txt", &out)
	if err != nil {
		t.Fatal(err)
	}
	lines := log.Lines
	if len(lines) != 4 || lines[0].Op != collective.AllReduce || lines[0].Bytes != 1024 || lines[0].Ranks != 4 || lines[0].Nodes != 1 ||
		lines[0].Seconds <= 0 || lines[3].Op != collective.AllToAll {
		t.Errorf("%+v", lines)
	}
}
