package catalog

import (
	"fmt"

	"planner/hardware/unit"
)

// leastRate and mostRate bound what a link or a memory can be: beyond them, times
// overflow. leastPeak and mostPeak do the same for a compute rate.
const (
	leastRate = unit.BytesPerSecond(1e3)
	mostRate  = unit.BytesPerSecond(1e15)
	leastPeak = unit.FLOPS(1e6)
	mostPeak  = unit.FLOPS(1e18)
)

// ranged records a value that is given, and not within bounds.
func ranged[T interface {
	~float64
	fmt.Stringer
}](d *decoder, path string, v, least, most T) {
	if v != 0 && !(v >= least && v <= most) {
		d.fail(path, "%s: %s: out of range: want %s to %s", leaf(path), v, least, most)
	}
}

// checkRates records rates that no part has.
func (s *gpuSpec) checkRates(d *decoder, path string) {
	ranged(d, join(path, "bandwidth"), s.Bandwidth, leastRate, mostRate)
	ranged(d, join(path, "pcie"), s.PCIe, leastRate, mostRate)
	p := &s.Peak
	for _, f := range []struct {
		key string
		v   unit.FLOPS
	}{{"fp32", p.FP32}, {"tf32", p.TF32}, {"bf16", p.BF16}, {"fp16", p.FP16}, {"fp8", p.FP8}, {"fp4", p.FP4}} {
		key := join(path, "peak."+f.key)
		if s.Preset != "" && f.v == 0 && d.gives(key) {
			d.fail(key, "%s: 0: in place of the preset's: want a rate above 0, or a [gpu] without preset", f.key)
		}
		ranged(d, key, f.v, leastPeak, mostPeak)
	}
}

// checkRates records rates that no link has, and more than a cluster of these
// ranks can be oversubscribed.
func (t *tierSpec) checkRates(d *decoder, path string) {
	ranged(d, join(path, "bandwidth"), t.Bandwidth, leastRate, mostRate)
	ranged(d, join(path, "nic"), t.NIC, leastRate, mostRate)
	ranged(d, join(path, "per_peer"), t.PerPeer, leastRate, mostRate)
	ranged(d, join(path, "shared"), t.Shared, leastRate, mostRate)
	if t.Oversubscription != 0 && !(t.Oversubscription >= 1 && t.Oversubscription <= 1000) {
		d.fail(join(path, "oversubscription"), "oversubscription: %g: want 1 to 1000 (7 means 7:1)", t.Oversubscription)
	}
}
