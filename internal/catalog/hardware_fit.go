package catalog

import (
	"planner/hardware"
	"planner/presets"
)

// The two files that calibration rewrites, in presets.Hardware.
const (
	gpuFitFile  = "hardware/fit.toml"
	linkFitFile = "clusters/fit.toml"
)

// GPUFit is one entry of presets/hardware/fit.toml: the constants of a
// generation, or of one part where that differs. Entries apply in the order
// of the file, each overwriting the fields that it gives: first those with
// neither arch nor part, then those of the arch, then those of the part.
type GPUFit struct {
	Arch string `toml:"arch"`
	Part string `toml:"part"`
	Fit  any    `toml:"fit"` // fields of hardware.Efficiency
	provenance
}

// LinkFit is one entry of presets/clusters/fit.toml: the constants of a link
// kind, or of a kind on accelerators of one arch.
type LinkFit struct {
	Kind hardware.LinkKind `toml:"kind"`
	Arch string            `toml:"arch"`
	Fit  any               `toml:"fit"` // fields of hardware.LinkFit
	provenance
}

type gpuFitFileSpec struct {
	GPU []GPUFit `toml:"gpu"`
}

type linkFitFileSpec struct {
	Link []LinkFit `toml:"link"`
}

// fitGPU fills in a.Fit from the fit file.
func fitGPU(a *hardware.Accelerator) error {
	d, err := presetDecoder(gpuFitFile)
	if err != nil {
		return err
	}
	var file gpuFitFileSpec
	d.assign("", d.root, pointed(&file))
	for _, level := range []GPUFit{{}, {Arch: a.Arch}, {Part: a.Name}} {
		for i, f := range file.GPU {
			if f.Arch == level.Arch && f.Part == level.Part {
				d.assign(index("gpu", i)+".fit", f.Fit, pointed(&a.Fit))
			}
		}
	}
	return d.err()
}

// fitTiers fills in the fit of each tier from the fit file.
func fitTiers(tiers []hardware.Tier, arch string) error {
	d, err := presetDecoder(linkFitFile)
	if err != nil {
		return err
	}
	var file linkFitFileSpec
	d.assign("", d.root, pointed(&file))
	for t := range tiers {
		for _, level := range []LinkFit{{}, {Kind: tiers[t].Kind}, {Kind: tiers[t].Kind, Arch: arch}} {
			for i, f := range file.Link {
				if f.Kind == level.Kind && f.Arch == level.Arch {
					d.assign(index("link", i)+".fit", f.Fit, pointed(&tiers[t].Fit))
				}
			}
		}
	}
	return d.err()
}

// stated returns which fields of a link's fit a [tier.fit] table gives.
func stated(raw any) (f hardware.LinkFields) {
	given, _ := raw.(map[string]any)
	for key, field := range map[string]hardware.LinkFields{
		"latency": hardware.StatedLatency, "reach": hardware.StatedReach, "p2p": hardware.StatedP2P,
	} {
		if _, ok := given[key]; ok {
			f |= field
		}
	}
	return f
}

// checkFit records what no link can be.
func checkFit(d *decoder, path string, f *hardware.LinkFit) {
	for _, share := range []struct {
		name  string
		value float64
	}{{"reach", f.Reach}, {"p2p", f.P2P}} {
		if !(share.value > 0 && share.value <= 1) {
			d.fail(join(path, share.name), "%s: %g: want a share of the nominal rate, above 0 and at most 1", share.name, share.value)
		}
	}
	if !(f.Latency >= 0 && f.Latency <= mostLatency) {
		d.fail(join(path, "latency"), "latency: %g s: out of range: want 0s to 1s", float64(f.Latency))
	}
	if f.LatencyFactor != 0 && !(f.LatencyFactor >= 0.01 && f.LatencyFactor <= 100) {
		d.fail(join(path, "latency_factor"), "latency_factor: %g: out of range: want 0.01 to 100", f.LatencyFactor)
	}
}

// presetDecoder parses an embedded file.
func presetDecoder(name string) (*decoder, error) {
	text, err := presets.Hardware.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return newDecoder("presets/"+name, text)
}
