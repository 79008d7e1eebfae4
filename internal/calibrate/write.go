package calibrate

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"planner/hardware/unit"
	"planner/presets"
	"planner/strategies"
)

// Marker begins the part of a preset file that a fit writes; what stands
// before it is kept.
const Marker = "# Below: written by `planner calibrate`; see docs/ACCURACY.md."

// ProfilesTOML returns presets/profiles/fit.toml: the fitted constants of each
// framework and generation over its prior's, the prior's where no run speaks.
func (res *Result) ProfilesTOML(asOf string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Fitted constants of the frameworks, by generation of accelerator; \"default\"\n# serves the others.\n%s\n", Marker)
	fmt.Fprintf(&b, "source = %q\nas_of = %q\n", "robust fit on "+strconv.Itoa(len(res.rows))+" published runs (presets/runs), priors of presets/profiles/prior.toml", asOf)
	priors := profilePriors()
	for _, fw := range slices.Sorted(maps.Keys(priors)) {
		fitted := map[string]string{}
		for at := range res.final.profiles {
			if at.framework == fw && res.has(at) {
				fitted[at.arch] = res.profile(at)
			}
		}
		best := res.defaultArch(fw)
		for _, arch := range slices.Sorted(maps.Keys(fitted)) {
			fmt.Fprintf(&b, "\n[%s.%s]\n%s", fw, arch, fitted[arch])
		}
		if best != "" {
			fmt.Fprintf(&b, "\n[%s.default] # as %s\n%s", fw, best, res.elsewhere(place{fw, best}))
			continue
		}
		p := priors[fw]["default"]
		fmt.Fprintf(&b, "\n[%s.default] # no run of it is in the table\n%s", fw, fields(&p, nil))
	}
	return b.String()
}

// has reports whether any constant of a place was fitted.
func (res *Result) has(at place) bool {
	return slices.ContainsFunc(res.Constants, func(c Constant) bool { return c.Framework == at.framework && c.Arch == at.arch })
}

// defaultArch is the generation whose constants serve those without runs: the
// latest of the widespread ones.
func (res *Result) defaultArch(framework string) string {
	for _, a := range []string{"hopper", "ampere", "blackwell", "blackwell-ultra"} {
		if res.has(place{framework, a}) {
			return a
		}
	}
	return ""
}

// serveOthers gives the generations that no run of their framework was fitted on
// the constants that the presets will give them.
func (res *Result) serveOthers() {
	for at := range res.final.profiles {
		res.final.profiles[at] = res.serving(at)
	}
}

// serving returns the constants that serve a place: those fitted there, those
// of its framework's default generation, or its priors, nil where no row of the
// fit is of the place.
func (res *Result) serving(at place) *strategies.ProfileFit {
	best := res.defaultArch(at.framework)
	if best == "" || res.has(at) {
		return res.final.profiles[at]
	}
	f := res.other(place{at.framework, best})
	return &f
}

func (res *Result) profile(at place) string {
	notes := map[string]string{}
	for _, c := range res.Constants {
		if c.Framework == at.framework && c.Arch == at.arch {
			notes[c.Name] = c.note()
		}
	}
	return fields(res.final.profiles[at], notes)
}

// elsewhere is profile for the generations that no run of the framework speaks
// of: the networks that its runs left unstated are not theirs.
func (res *Result) elsewhere(at place) string {
	f := res.other(at)
	return fields(&f, nil)
}

func (res *Result) other(at place) strategies.ProfileFit {
	f := *res.final.profiles[at]
	if f.Network > 0 {
		f.Network = networkElsewhere
	}
	return f
}

// note says how firm a constant is: an interval of 90 % (1.64 standard errors),
// the rows it moves and their sources.
func (c *Constant) note() string {
	if !c.Known() {
		return "prior: " + strconv.Itoa(c.Rows) + " rows say little"
	}
	return fmt.Sprintf("±%.0f %%, %d rows: %s", 100*math.Expm1(1.64*c.Deviation), c.Rows, strings.Join(c.Sources, ", "))
}

// GPUsTOML returns presets/hardware/fit.toml: the parts that no run speaks of
// as they stand, then the fitted ones.
func (res *Result) GPUsTOML(asOf string) string {
	text, err := presets.Hardware.ReadFile("hardware/fit.toml")
	if err != nil {
		panic(err) // embedded
	}
	kept, _, _ := strings.Cut(string(text), Marker)
	var b strings.Builder
	b.WriteString(kept + Marker + "\n")
	parts := slices.Sorted(maps.Keys(res.final.gpus))
	generation := map[string]string{"b200-sxm": "blackwell", "b300-sxm": "blackwell-ultra"}
	for _, part := range parts {
		var own []Constant
		for _, c := range res.Constants {
			if c.Framework == "" && c.Arch == part {
				own = append(own, c)
			}
		}
		if len(own) == 0 && generation[part] == "" {
			continue // as its preset has it
		}
		if arch := generation[part]; arch != "" {
			b.WriteString(res.gpu("arch", arch, part, own, asOf))
			continue
		}
		key := "part"
		if part == "ampere" || part == "hopper" {
			key = "arch"
		}
		b.WriteString(res.gpu(key, part, part, own, asOf))
	}
	return b.String()
}

func (res *Result) gpu(key, name, part string, own []Constant, asOf string) string {
	var b strings.Builder
	var from []string
	rows := 0
	for _, c := range own {
		from = append(from, c.Sources...)
		rows = max(rows, c.Rows)
	}
	slices.Sort(from)
	from = slices.Compact(from)
	confidence, source := "medium", "step times of published runs: "+strings.Join(from, ", ")
	switch {
	case len(own) == 0:
		confidence, source = "low", "large matrix products and fused attention in the tables of aiconfigurator and SimuMax, less what a power limit takes; published runs say little"
	case rows >= 100:
		confidence = "high"
	}
	fmt.Fprintf(&b, "\n[[gpu]]\n%s = %q\nsource = [%q]\nas_of = %q\nconfidence = %q\n[gpu.fit]\n", key, name,
		source, asOf, confidence)
	e := *res.final.gpus[part]
	note := map[string]string{}
	for _, c := range own {
		note[c.Name] = c.note()
	}
	line := func(k string, v float64) {
		if v > 0 {
			fmt.Fprintf(&b, "%s = %s # %s\n", k, number(v), cmp.Or(note[k], "prior"))
		}
	}
	line("gemm", e.GEMM)
	line("gemm_fp8", e.GEMMFP8)
	line("gemm_fp4", e.GEMMFP4)
	line("gemm_half_k", e.GEMMHalfK)
	line("memory", e.Memory)
	line("boost", e.Boost)
	var flash []string
	for _, v := range e.Flash {
		flash = append(flash, number(v))
	}
	fmt.Fprintf(&b, "flash = [%s] # usual: %s; generation 1: %s\n", strings.Join(flash, ", "), cmp.Or(note["flash[0]"], "prior"), cmp.Or(note["flash[1]"], "prior"))
	line("flash_triton", e.FlashTriton)
	if e.Launch > 0 {
		fmt.Fprintf(&b, "launch = %q\n", number(float64(e.Launch/unit.Microsecond))+"us")
	}
	return b.String()
}

// number prints four significant digits.
func number(v float64) string {
	s := strconv.FormatFloat(v, 'g', 4, 64)
	f, _ := strconv.ParseFloat(s, 64)
	return strconv.FormatFloat(f, 'f', -1, 64)
}
