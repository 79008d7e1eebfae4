// Package gpufit fits an accelerator and the links between accelerators to what
// planner-gpu measured on a machine.
package gpufit

import (
	"fmt"
	"math"
	"slices"

	"planner/costmodel/collective"
	"planner/costmodel/kernel"
	"planner/hardware"
	"planner/hardware/unit"
	"planner/internal/calibrate"
	"planner/internal/catalog"
	"planner/verify/gpu/start"
)

// Fit is a cluster with constants of its own.
type Fit struct {
	GEMM, HalfK, Memory float64
	// Before and After are the median errors of the products.
	Before, After float64
	P2P           float64 // of the peers' copies: share of the innermost tier's rate; 0: not measured
	Links         []calibrate.LinkRate
}

// Of fits a cluster, whose links it changes, to a machine and to collectives
// over all of its GPUs.
func Of(c *hardware.Cluster, m *start.Machine, lines []calibrate.Bench) (*Fit, error) {
	f := &Fit{}
	if err := f.products(c.GPU, m.Gemms); err != nil {
		return nil, err
	}
	if err := f.memory(c.GPU, m.Traffic); err != nil {
		return nil, err
	}
	if len(lines) > 0 {
		var err error
		if f.Links, err = calibrate.FromBench(c, lines); err != nil {
			return nil, err
		}
	}
	f.peers(c, m.Peers)
	return f, nil
}

// products fits the share of the peak and the loss at small inner dimensions.
func (f *Fit) products(gpu *hardware.Accelerator, gemms []start.Gemm) error {
	if len(gemms) == 0 {
		return fmt.Errorf("no products were measured")
	}
	k, err := catalog.LoadKernels(gpu.Arch, gpu.Name)
	if err != nil {
		return err
	}
	prior := k.Constants.With(gpu.Fit)
	var rows []kernel.ProductRow
	for _, g := range gemms {
		if !(g.Seconds > 0) {
			return fmt.Errorf("product of %dx%dx%d: took %v s", g.M, g.N, g.K, g.Seconds)
		}
		rows = append(rows, kernel.ProductRow{On: gpu, Precision: hardware.BF16, Stack: "planner-gpu", M: float64(g.N), N: float64(g.M), K: float64(g.K), Time: unit.Seconds(g.Seconds)})
	}
	fitted, after := kernel.Calibrate(rows, prior)
	f.GEMM, f.HalfK = fitted.Half.Peak, fitted.Half.HalfK
	f.Before, f.After = kernel.Evaluate(rows, prior).Median, after.Median
	return nil
}

// largeTraffic is what no cache holds.
const largeTraffic = 128 << 20

// memory takes the median share of the bandwidth that kernels of a layer and
// the optimizer reach beyond caches.
func (f *Fit) memory(gpu *hardware.Accelerator, traffic []start.Traffic) error {
	var shares []float64
	for _, t := range traffic {
		if t.Bytes >= largeTraffic && t.Seconds > 0 {
			shares = append(shares, t.Rate()/float64(gpu.MemoryBandwidth))
		}
	}
	if len(shares) == 0 {
		return fmt.Errorf("no memory traffic of 128 MiB or more was measured")
	}
	slices.Sort(shares)
	f.Memory = math.Min(1, shares[len(shares)/2])
	return nil
}

// peers takes the median of copies between different GPUs.
func (f *Fit) peers(c *hardware.Cluster, m [][]float64) {
	var rates []float64
	for from := range m {
		for to, r := range m[from] {
			if from != to && r > 0 {
				rates = append(rates, r)
			}
		}
	}
	t := &c.Tiers[c.ScaleUp]
	if len(rates) == 0 || t.Bandwidth <= 0 {
		return
	}
	slices.Sort(rates)
	f.P2P = math.Min(1, rates[len(rates)/2]/float64(t.Bandwidth))
	t.Fit.P2P, t.Fit.Stated = f.P2P, t.Fit.Stated|hardware.StatedP2P
}

// Lines turns measured calls over all of a job's ranks into nccl-tests' lines.
func Lines(d *start.Document, nodes int) (out []calibrate.Bench) {
	for _, r := range d.Rows {
		op, ok := collective.ParseOp(r.Op)
		if ok && r.Out.Time > 0 {
			out = append(out, calibrate.Bench{Op: op, Bytes: unit.Bytes(r.Size), Seconds: unit.Seconds(r.Out.Time) * unit.Microsecond,
				Ranks: d.Ranks, Nodes: nodes})
		}
	}
	return out
}

// sizes of calls that show latency and bandwidth.
var sizes = []int{8 << 10, 64 << 10, 1 << 20, 16 << 20, 128 << 20, 512 << 20}

// Calls lists what shows a machine's links: all ranks, small to large.
func Calls(ranks int) (out []start.Call) {
	for _, op := range []string{"all_reduce", "all_gather", "reduce_scatter", "all_to_all"} {
		for _, n := range sizes {
			out = append(out, start.Call{Op: op, DType: "bf16", Bytes: n, Size: ranks, Stride: 1})
		}
	}
	return out
}

// TOML returns the file of the cluster of that name with the fit of its
// accelerator and of its links. What steps said of it before is left out: it was
// said of other constants.
func (f *Fit) TOML(name string, c *hardware.Cluster, m *start.Machine, asOf string) (string, error) {
	fitted, gpu := *c, *c.GPU
	gpu.Fit.GEMM, gpu.Fit.GEMMHalfK, gpu.Fit.Memory = f.GEMM, f.HalfK, f.Memory
	gpu.Fit.Correction, gpu.Fit.Spread = 0, [2]float64{}
	fitted.GPU = &gpu
	return calibrate.HardwareTOML(name, &fitted, fmt.Sprintf("planner-gpu on %d × %s, %s", m.GPUs, m.GPU, m.Library), asOf)
}
