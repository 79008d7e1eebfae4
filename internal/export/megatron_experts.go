package export

import (
	"fmt"

	"planner/costmodel"
)

func megatronExperts(m *costmodel.Model, f *flagList) {
	e, dense := sparseOf(m), 0
	for _, k := range m.Pattern {
		if n := &m.Kinds[k].FFN; n.Experts == 0 {
			dense = max(dense, n.Width)
		}
	}
	f.above(0, "ffn-hidden-size", dense)
	f.add("num-experts", e.Experts)
	f.add("moe-router-topk", e.TopK)
	if e.Corrected() {
		f.add("moe-router-score-function", "sigmoid")
		f.add("moe-router-enable-expert-bias")
	}
	f.add("moe-ffn-hidden-size", e.ExpertWidth)
	f.above(0, "moe-shared-expert-intermediate-size", e.Shared)
	f.when(e.SharedGate, "moe-shared-expert-gate")
	f.above(0, "moe-latent-size", e.Latent)
	f.add("moe-grouped-gemm")
	f.add("moe-permute-fusion")
	if freq, mixed := layerFrequency(m); mixed {
		f.add("moe-layer-freq", freq)
	}
}

// layerFrequency writes which layers have experts as Python, run-length
// encoded: "([0]*3+[1]*58)".
func layerFrequency(m *costmodel.Model) (string, bool) {
	type stretch struct{ sparse, n int }
	var runs []stretch
	for _, k := range m.Pattern {
		s := 0
		if m.Kinds[k].FFN.Experts > 0 {
			s = 1
		}
		if n := len(runs); n > 0 && runs[n-1].sparse == s {
			runs[n-1].n++
			continue
		}
		runs = append(runs, stretch{s, 1})
	}
	text := ""
	for i, r := range runs {
		if i > 0 {
			text += "+"
		}
		text += fmt.Sprintf("[%d]*%d", r.sparse, r.n)
	}
	return "(" + text + ")", len(runs) > 1
}
