package show

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"planner/hardware"
	"planner/internal/settings"
)

// HardwareFacts is the document of `hardware show`.
type HardwareFacts struct {
	Kind            string             `json:"kind,omitempty"`
	Name            string             `json:"name"`
	Title           string             `json:"title"`
	GPU             string             `json:"gpu"`
	Arch            string             `json:"arch"`
	GPUs            int                `json:"gpus"`
	GPUsPerNode     int                `json:"gpus_per_node"`
	Domain          int                `json:"gpus_per_domain"` // that scale-up links join, as built
	MemoryBytes     float64            `json:"memory_bytes"`
	UsableBytes     float64            `json:"usable_bytes"`
	MemoryBandwidth float64            `json:"memory_bandwidth"`
	PeakFLOPs       map[string]float64 `json:"peak_flops"`
	SMs             int                `json:"sms"`
	Tiers           []TierFacts        `json:"tiers"`
	PricePerGPUHour float64            `json:"price_per_gpu_hour,omitempty"`
	Source          string             `json:"source"`
	AsOf            string             `json:"as_of"`
	GPUSource       string             `json:"gpu_source"`
	Note            string             `json:"note,omitempty"`
}

// TierFacts is one level of the network: Bandwidth is a GPU's share after
// oversubscription, NICs the ports of a node where its GPUs share them.
type TierFacts struct {
	Kind             string  `json:"kind"`
	Ranks            int     `json:"ranks"`
	Bandwidth        float64 `json:"bandwidth"`
	NICs             int     `json:"nics"`
	Ports            int     `json:"ports,omitempty"` // of one node
	PortBandwidth    float64 `json:"port_bandwidth,omitempty"`
	Oversubscription float64 `json:"oversubscription"` // 1: none
}

// NewHardwareFacts describes a cluster.
func NewHardwareFacts(c *hardware.Cluster) HardwareFacts {
	g := c.GPU
	f := HardwareFacts{Name: c.Name, Title: c.Title, GPU: g.Name, Arch: g.Arch, GPUs: c.GPUs, GPUsPerNode: c.PerNode, Domain: c.Domain(),
		MemoryBytes: float64(g.Memory), UsableBytes: float64(g.Usable), MemoryBandwidth: float64(g.MemoryBandwidth),
		PeakFLOPs: map[string]float64{}, SMs: g.SMs, PricePerGPUHour: c.PricePerGPUHour, Source: c.Source, AsOf: c.AsOf, GPUSource: g.Source, Note: c.Note}
	for i, name := range hardware.Precisions() {
		if g.Peak[i] > 0 {
			f.PeakFLOPs[name] = float64(g.Peak[i])
		}
	}
	for _, t := range c.Tiers {
		f.Tiers = append(f.Tiers, TierFacts{string(t.Kind), t.Ranks, float64(t.Bandwidth), t.NICs, t.Ports, float64(t.PortRate), t.Oversubscription})
	}
	return f
}

// Hardware writes the presets.
func Hardware(w io.Writer, format string, list []HardwareFacts) {
	var rows [][]string
	for _, f := range list {
		net := "–"
		if last := len(f.Tiers) - 1; last > 0 {
			net = fmt.Sprintf("%.4g Gb/s %s", f.Tiers[1].Bandwidth*8/1e9, f.Tiers[1].Kind)
		}
		rows = append(rows, []string{f.Kind, f.Name, f.GPU, fmt.Sprintf("%.1f", f.UsableBytes/(1<<30)), fmt.Sprintf("%.2f", f.MemoryBandwidth/1e12),
			fmt.Sprintf("%.0f", f.PeakFLOPs["bf16"]/1e12), fmt.Sprintf("%.0f", f.PeakFLOPs["fp8"]/1e12), fmt.Sprint(f.GPUsPerNode), fmt.Sprint(f.Domain),
			fmt.Sprintf("%.0f GB/s %s", f.Tiers[0].Bandwidth/1e9, f.Tiers[0].Kind), net})
	}
	Table(w, format, []Column{{"kind", true}, {"name", true}, {"GPU", true}, {"usable GiB", false}, {"TB/s", false}, {"bf16 TFLOP/s", false}, {"fp8", false},
		{"per node", false}, {"domain", false}, {"inside", true}, {"network per GPU", true}}, rows)
}

// Hardware1 writes one cluster with its sources.
func Hardware1(w io.Writer, f HardwareFacts) {
	fmt.Fprintf(w, "%s · %s\n\n", f.Name, title(f.Title, f.GPU))
	Note(w, "GPU", "%s (%s) · %.1f GiB usable of %.0f GB · %.2f TB/s · %d SMs", f.GPU, f.Arch, f.UsableBytes/(1<<30), f.MemoryBytes/1e9, f.MemoryBandwidth/1e12, f.SMs)
	var peaks []string
	for _, k := range slices.Sorted(maps.Keys(f.PeakFLOPs)) {
		peaks = append(peaks, fmt.Sprintf("%s %.1f", k, f.PeakFLOPs[k]/1e12))
	}
	Note(w, "peaks", "%s TFLOP/s dense", strings.Join(peaks, " · "))
	for _, t := range f.Tiers {
		ranks := "the whole cluster"
		if t.Ranks > 0 {
			ranks = fmt.Sprintf("%d ranks", t.Ranks)
		}
		if t.Ranks > f.GPUsPerNode && t.Ranks < f.Domain {
			ranks += fmt.Sprintf(" in use of %d", f.Domain)
		}
		ports := portsText(t.Ports, t.PortBandwidth*8/1e9, t.Oversubscription)
		if ports != "" {
			ports = " · " + ports
		}
		Note(w, t.Kind, "%s · %.4g GB/s (%.4g Gb/s) per GPU, one direction%s", ranks, t.Bandwidth/1e9, t.Bandwidth*8/1e9, ports)
	}
	if f.PricePerGPUHour > 0 {
		Note(w, "price", "%.2f $ per GPU and hour", f.PricePerGPUHour)
	}
	Note(w, "source", "%s", cited(f.Source, f.AsOf))
	Note(w, "GPU source", "%s", cited(f.GPUSource, ""))
	if f.Note != "" {
		Note(w, "note", "%s", f.Note)
	}
}

// cited is a source with its date, where either was given.
func cited(source, asOf string) string {
	if source == "" {
		source = "none given"
	}
	if asOf == "" {
		return source
	}
	return source + " (" + asOf + ")"
}

// Settings writes saved defaults.
func Settings(w io.Writer, format string, list []settings.Value) {
	var rows [][]string
	for _, v := range list {
		rows = append(rows, []string{v.Key, v.Value, v.Origin})
	}
	Table(w, format, []Column{{"key", true}, {"value", true}, {"from", true}}, rows)
}
