package show

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"planner/costmodel"
	"planner/hardware"
	"planner/internal/settings"
)

// Models writes the model presets.
func Models(w io.Writer, format string, list []ModelFacts) {
	var rows [][]string
	for _, f := range list {
		experts := "–"
		if f.Experts > 0 {
			experts = fmt.Sprintf("%d/%d", f.ExpertsPerToken, f.Experts)
		}
		params, active := Params(f.Parameters), Params(f.ActiveParameters)
		if format == "csv" {
			params, active = fmt.Sprint(f.Parameters), fmt.Sprint(f.ActiveParameters)
		}
		rows = append(rows, []string{f.Name, params, active, fmt.Sprint(f.Layers), fmt.Sprint(f.Hidden), fmt.Sprint(f.Heads), fmt.Sprint(f.KVHeads),
			fmt.Sprint(f.HeadDim), fmt.Sprint(f.FFN), fmt.Sprint(f.Vocab), experts})
	}
	Table(w, format, []Column{{"model", true}, {"parameters", false}, {"active", false}, {"layers", false}, {"hidden", false}, {"heads", false}, {"KV", false},
		{"head dim", false}, {"FFN", false}, {"vocab", false}, {"experts", false}}, rows)
}

// Aliases writes the bare sizes and what they stand for; other spellings of
// names need no list.
func Aliases(w io.Writer, aliases map[string]string) {
	var parts []string
	for _, k := range slices.Sorted(maps.Keys(aliases)) {
		if k[0] >= '0' && k[0] <= '9' {
			parts = append(parts, k+" = "+aliases[k])
		}
	}
	fmt.Fprintln(w)
	Note(w, "sizes", "%s", strings.Join(parts, " · "))
}

// Model1 writes one model with the breakdown of its parameters.
func Model1(w io.Writer, m *costmodel.Model, f ModelFacts) {
	fmt.Fprintf(w, "%s · %s parameters", title(m.Title, m.Name), Count(f.Parameters))
	if f.ActiveParameters != f.Parameters {
		fmt.Fprintf(w, " · %s active", Count(f.ActiveParameters))
	}
	fmt.Fprintf(w, " · %.1f GFLOP/token at %s tokens\n\n", f.FLOPsPerToken/1e9, Count(f.SeqLen))
	var rows [][]string
	row := func(what string, n int64, how string) {
		rows = append(rows, []string{what, Count(n), fmt.Sprintf("%.2f", 100*float64(n)/float64(f.Parameters)), how})
	}
	row("embedding", m.Embedding(), fmt.Sprintf("%d × %d", m.Vocab, m.Hidden))
	if m.Positions > 0 {
		row("positions", m.PositionEmbedding(), fmt.Sprintf("%d × %d", m.Positions, m.Hidden))
	}
	for i, n := range m.KindCounts() {
		l := &m.Kinds[i]
		row(fmt.Sprintf("%d layers", n), int64(n)*l.Params(m.Hidden).Total(), layerText(l))
	}
	head := "own matrix"
	if m.Tied {
		head = "tied to the embedding"
	}
	row("LM head", m.Head(), head)
	row("other norms", int64(m.FinalNorm+m.EmbedNorm), "")
	Table(w, "table", []Column{{"part", true}, {"parameters", false}, {"%", false}, {"", true}}, rows)
	if m.Source != "" {
		fmt.Fprintf(w, "\nsource %s (%s)\n", m.Source, m.AsOf)
	}
}

func layerText(l *costmodel.Layer) string {
	x, f := &l.Mixer, &l.FFN
	var parts []string
	switch x.Kind {
	case costmodel.Attention:
		parts = append(parts, fmt.Sprintf("%d heads of %d, %d KV", x.Heads, x.HeadDim, x.KVHeads))
	case costmodel.MLA:
		parts = append(parts, fmt.Sprintf("MLA, %d heads of %d+%d, ranks q %d kv %d", x.Heads, x.HeadDim-x.RopeDim, x.RopeDim, x.QRank, x.KVRank))
	case costmodel.Linear:
		parts = append(parts, fmt.Sprintf("gated delta net, %d heads", x.Heads))
	case costmodel.Mamba2:
		parts = append(parts, fmt.Sprintf("Mamba-2, %d heads, state %d", x.Heads, x.State))
	}
	if x.Window > 0 {
		parts = append(parts, fmt.Sprintf("window %d", x.Window))
	}
	if f.Width > 0 {
		parts = append(parts, fmt.Sprintf("MLP %d", f.Width))
	}
	if f.Experts > 0 {
		parts = append(parts, fmt.Sprintf("%d experts of %d, top %d", f.Experts, f.ExpertWidth, f.TopK))
	}
	if f.Shared > 0 {
		parts = append(parts, fmt.Sprintf("shared %d", f.Shared))
	}
	return strings.Join(parts, " · ")
}

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

// TierFacts is one level of the network.
type TierFacts struct {
	Kind      string  `json:"kind"`
	Ranks     int     `json:"ranks"`
	Bandwidth float64 `json:"bandwidth"`
	NICs      int     `json:"nics"`
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
		f.Tiers = append(f.Tiers, TierFacts{string(t.Kind), t.Ranks, float64(t.Bandwidth), t.NICs})
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
		Note(w, t.Kind, "%s · %.4g GB/s (%.4g Gb/s) per GPU, one direction", ranks, t.Bandwidth/1e9, t.Bandwidth*8/1e9)
	}
	if f.PricePerGPUHour > 0 {
		Note(w, "price", "%.2f $ per GPU and hour", f.PricePerGPUHour)
	}
	Note(w, "source", "%s (%s)", f.Source, f.AsOf)
	Note(w, "GPU source", "%s", f.GPUSource)
	if f.Note != "" {
		Note(w, "note", "%s", f.Note)
	}
}

// Settings writes saved defaults.
func Settings(w io.Writer, format string, list []settings.Value) {
	var rows [][]string
	for _, v := range list {
		rows = append(rows, []string{v.Key, v.Value, v.Origin})
	}
	Table(w, format, []Column{{"key", true}, {"value", true}, {"from", true}}, rows)
}
