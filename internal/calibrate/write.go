package calibrate

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"planner/hardware"
	"planner/hardware/unit"
	"planner/presets"
)

// Marker begins the part of a preset file that a fit writes; what stands
// before it is kept.
const Marker = "# Below: written by `planner calibrate`; see docs/ACCURACY.md."

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

// gpu returns the table of a part or of a generation, with the constants that
// were fitted for it.
func (res *Result) gpu(key, name, part string, own []Constant, asOf string) string {
	confidence, source := grounds(own)
	note := map[string]string{}
	for _, c := range own {
		note[c.Name] = c.note()
	}
	return fmt.Sprintf("\n[[gpu]]\n%s = %q\nsource = [%q]\nas_of = %q\nconfidence = %q\n[gpu.fit]\n", key, name, source, asOf, confidence) +
		gpuFit(res.final.gpus[part], note)
}

// grounds says what fitted constants rest on, and how firmly.
func grounds(own []Constant) (confidence, source string) {
	var from []string
	rows := 0
	for _, c := range own {
		from = append(from, c.Sources...)
		rows = max(rows, c.Rows)
	}
	slices.Sort(from)
	source = "step times of published runs: " + strings.Join(slices.Compact(from), ", ")
	switch {
	case len(own) == 0:
		return "low", "large matrix products and fused attention in the tables of aiconfigurator and SimuMax, less what a power limit takes; published runs say little"
	case rows >= 100:
		return "high", source
	}
	return "medium", source
}

// gpuFit writes the constants that are known, a line each, with their notes.
func gpuFit(e *hardware.Efficiency, note map[string]string) string {
	var b strings.Builder
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
