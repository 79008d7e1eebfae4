package catalog

import (
	"strings"

	"planner/hardware"
	"planner/hardware/unit"
)

// gpuSpec is an accelerator as its TOML spells it: a file of presets/hardware,
// or the [gpu] table of a cluster file.
type gpuSpec struct {
	Preset  string `toml:"preset"` // in a [gpu] table: start from this one
	Name    string `toml:"name"`
	Title   string `toml:"title"`
	Vendor  string `toml:"vendor"`
	Arch    string `toml:"arch"`
	Year    int    `toml:"year"`
	Cluster string `toml:"cluster"` // what the bare name means

	Memory    unit.Bytes          `toml:"memory"`
	Usable    unit.Bytes          `toml:"usable"`
	UsableHow string              `toml:"usable_how"`
	Visible   unit.Bytes          `toml:"visible"` // as the driver's tools print it
	Bandwidth unit.BytesPerSecond `toml:"bandwidth"`
	SMs       int                 `toml:"sms"`
	Clock     unit.Hertz          `toml:"clock"`
	L2        unit.Bytes          `toml:"l2"`
	Power     unit.Watts          `toml:"power"`
	PCIe      unit.BytesPerSecond `toml:"pcie"`

	Peak     peakSpec     `toml:"peak"`
	Link     portSpec     `toml:"link"`
	Measured measuredSpec `toml:"measured"`
	Fit      any          `toml:"fit"` // overrides of hardware.Efficiency

	provenance
}

// peakSpec holds dense peaks; the formats that run at the rate of another are
// not spelled out.
type peakSpec struct {
	FP32 unit.FLOPS `toml:"fp32"`
	TF32 unit.FLOPS `toml:"tf32"`
	BF16 unit.FLOPS `toml:"bf16"`
	FP16 unit.FLOPS `toml:"fp16"`
	FP8  unit.FLOPS `toml:"fp8"`
	FP4  unit.FLOPS `toml:"fp4"`
}

type portSpec struct {
	Kind      hardware.LinkKind   `toml:"kind"`
	Bridge    bool                `toml:"bridge"`
	Count     int                 `toml:"count"`
	Each      unit.BytesPerSecond `toml:"each"`
	Bandwidth unit.BytesPerSecond `toml:"bandwidth"`
}

type measuredSpec struct {
	BF16 unit.FLOPS          `toml:"bf16"`
	FP8  unit.FLOPS          `toml:"fp8"`
	Copy unit.BytesPerSecond `toml:"copy"`
}

// provenance is said of every preset.
type provenance struct {
	Source     []string `toml:"source"`
	AsOf       string   `toml:"as_of"`
	Unchecked  []string `toml:"unchecked"` // general knowledge, no page seen
	Assumed    []string `toml:"assumed"`   // not published anywhere
	Confidence string   `toml:"confidence"`
	Note       string   `toml:"note"`
}

func (p *provenance) source() string { return strings.Join(p.Source, " ; ") }

// check records what a usable accelerator must have and s lacks.
func (s *gpuSpec) check(d *decoder, path string) {
	for _, f := range []struct {
		key  string
		zero bool
		eg   string
	}{
		{"memory", s.Memory == 0, `"80GiB"`},
		{"bandwidth", s.Bandwidth == 0, `"3350GB/s"`},
		{"peak", s.Peak == peakSpec{}, `[peak] bf16 = "989.4TFLOP/s"`},
	} {
		switch key := join(path, f.key); {
		case f.zero && d.gives(key):
			d.fail(key, "%s: 0: want such as %s", f.key, f.eg)
		case f.zero:
			d.fail(path, "%s: missing: want such as %s", f.key, f.eg)
		}
	}
	s.checkRates(d, path)
	if s.Usable > s.Memory && s.Memory > 0 {
		d.fail(join(path, "usable"), "usable: %v: more than the memory of %v", s.Usable, s.Memory)
	}
	if s.SMs < 0 || s.SMs > 4096 {
		d.fail(join(path, "sms"), "sms: %d: want 0 to 4096", s.SMs)
	}
}

// usualPCIe is the host link of a part that states none: 16 lanes of PCI Express
// 4.0, 16 GT/s each at 128b/130b, one direction.
const usualPCIe = 31.5 * unit.GBps

// accelerator converts s; its fit is not filled in.
func (s *gpuSpec) accelerator() *hardware.Accelerator {
	a := &hardware.Accelerator{
		Name: s.Name, Title: s.Title, Vendor: s.Vendor, Arch: s.Arch, Year: s.Year,
		Memory: s.Memory, Usable: s.Usable, MemoryBandwidth: s.Bandwidth,
		TF32: s.Peak.TF32, SMs: s.SMs, Clock: s.Clock, L2: s.L2, Power: s.Power, PCIe: s.PCIe,
		Link:   s.Link.link(),
		Source: s.source(), AsOf: s.AsOf, Note: s.Note,
	}
	if a.Usable == 0 {
		a.Usable = a.Memory
	}
	if a.Title == "" {
		a.Title = a.Name
	}
	if a.PCIe == 0 {
		a.PCIe = usualPCIe
	}
	a.Best.BF16, a.Best.FP8, a.Best.Copy = s.Measured.BF16, s.Measured.FP8, s.Measured.Copy
	s.Peak.fill(a)
	return a
}

func (l portSpec) link() hardware.Link {
	return hardware.Link{Kind: l.Kind, Count: l.Count, Each: l.Each, Bandwidth: l.Bandwidth, Bridge: l.Bridge}
}

// fill sets the peaks. Block-scaled fp8 runs at the fp8 rate; so does MXFP8,
// in the tensor cores of Blackwell and CDNA4, the parts with a 4-bit rate.
// NVFP4 is NVIDIA's alone.
func (p *peakSpec) fill(a *hardware.Accelerator) {
	a.Peak[hardware.FP32] = p.FP32
	a.Peak[hardware.BF16] = p.BF16
	a.Peak[hardware.FP16] = p.FP16
	a.Peak[hardware.FP8] = p.FP8
	a.Peak[hardware.FP8Block] = p.FP8
	if p.FP4 > 0 {
		a.Peak[hardware.MXFP8] = p.FP8
	}
	if a.Vendor == "nvidia" {
		a.Peak[hardware.NVFP4] = p.FP4
	}
}
