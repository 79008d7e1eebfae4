package export

import (
	"fmt"
	"strings"

	"planner/hardware"
)

// titanCompiles reports whether v0.2.2 is to compile: eager casts to 8 bits
// cost what the products save. It does not compile MXFP8 with TP
// (components/quantization/mx.py).
func titanCompiles(p *Plan) bool {
	w := p.Problem.Work.Precision
	return low(w) && !(w == hardware.MXFP8 && p.Layout.TP > 1)
}

// titanConverters writes the converters of v0.2.2: products of every layer, and
// those of experts, in 8 bits; the head stays in bf16, as the figures have it,
// and so do routers (components/quantization).
func titanConverters(p *Plan, d *Document, b *strings.Builder) {
	w := p.Problem.Work.Precision
	kind, ok := map[hardware.Precision]string{hardware.FP8: "float8", hardware.MXFP8: "mx"}[w]
	if !ok {
		if low(w) {
			d.missing("precision %s: v0.2.2 converts to fp8 with a scale for each tensor and to mxfp8; bf16 is written", w)
		}
		return
	}
	names, skip := fmt.Sprintf("%q", "quantize.linear."+kind), `"output"`
	experts := titanExpertConverter(p, kind, d)
	if p.Problem.Model.Experts() > 0 {
		skip += `, "router.gate"`
	}
	if experts != "" {
		names += fmt.Sprintf(", %q", experts)
	}
	fmt.Fprintf(b, "converters = [%s]\n\n[quantize.linear.%s]\nfilter_fqns = [%s]\n", names, kind, skip)
	if experts != "" {
		fmt.Fprintf(b, "\n[%s]\nfqns = [\"experts\"]\n", experts)
	}
}

// titanExpertConverter names the converter of grouped products, "" where there
// is none to name: that of fp8 stops at pp and cp.
func titanExpertConverter(p *Plan, kind string, d *Document) string {
	l := &p.Layout
	switch {
	case p.Problem.Model.Experts() == 0:
		return ""
	case kind == "float8" && l.PP*l.CP > 1:
		d.missing("precision fp8: experts stay in bf16: quantize.grouped_mm.float8 stops at pp and cp")
		return ""
	}
	return "quantize.grouped_mm." + kind
}
