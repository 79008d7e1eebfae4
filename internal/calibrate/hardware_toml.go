package calibrate

import (
	"fmt"
	"strings"

	"planner/hardware"
	"planner/hardware/unit"
)

// HardwareTOML returns a cluster as a file that --hardware takes: the preset's
// accelerator, the tiers with their rates, and what measured steps say of its
// predictions unless f is nil.
func HardwareTOML(c *hardware.Cluster, f *Factor, source, asOf string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Written by `planner calibrate`. Use it with --hardware.\n")
	fmt.Fprintf(&b, "title = %q\nprovider = %q\ngpus_per_node = %d\nsource = [%q]\nas_of = %q\n", c.Title+", calibrated", c.Provider, c.PerNode, source, asOf)
	fmt.Fprintf(&b, "\n[gpu]\npreset = %q\n", c.GPU.Name)
	b.WriteString(f.toml())
	for i := range c.Tiers {
		t := &c.Tiers[i]
		fmt.Fprintf(&b, "\n[[tier]]\nkind = %q\n", t.Kind)
		if t.Ranks > 0 {
			fmt.Fprintf(&b, "ranks = %d\n", t.Ranks)
		}
		fmt.Fprintf(&b, "bandwidth = %q\n", rate(t.Bandwidth))
		if t.PerPeer > 0 {
			fmt.Fprintf(&b, "per_peer = %q\n", rate(t.PerPeer))
		}
		if t.Shared > 0 {
			fmt.Fprintf(&b, "shared = %q\n", rate(t.Shared))
		}
		if t.Rails {
			b.WriteString("rails = true\n")
		}
		b.WriteString(tierFit(&t.Fit))
	}
	return b.String()
}

// toml writes the correction, and how far the steps lie apart where that is
// more than the band of a corrected cluster.
func (f *Factor) toml() string {
	if f == nil {
		return ""
	}
	s := fmt.Sprintf("\n[gpu.fit]\ncorrection = %s # measured over predicted step\n", number(f.Correction))
	if f.Wider() {
		s += fmt.Sprintf("spread = [%s, %s] # lowest and highest measured over corrected step\n", number(f.Spread.Low), number(f.Spread.High))
	}
	return s
}

func rate(r unit.BytesPerSecond) string { return number(float64(r/unit.GBps)) + "GB/s" }

// tierFit writes what a cluster states of a link, nothing where it states
// nothing.
func tierFit(f *hardware.LinkFit) string {
	var b strings.Builder
	if f.States(hardware.StatedLatency) {
		fmt.Fprintf(&b, "latency = \"%sus\"\n", number(float64(f.Latency/unit.Microsecond)))
	}
	if f.LatencyFactor > 0 {
		fmt.Fprintf(&b, "latency_factor = %s # measured over modelled time of small messages\n", number(f.LatencyFactor))
	}
	if f.States(hardware.StatedReach) {
		fmt.Fprintf(&b, "reach = %s\n", number(f.Reach))
	}
	if f.States(hardware.StatedP2P) {
		fmt.Fprintf(&b, "p2p = %s\n", number(f.P2P))
	}
	if b.Len() == 0 {
		return ""
	}
	return "[tier.fit]\n" + b.String()
}
