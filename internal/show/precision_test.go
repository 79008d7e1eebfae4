package show_test

import (
	"encoding/json"
	"strings"
	"testing"

	"planner/hardware"
	"planner/internal/ask"
	"planner/internal/catalog"
	"planner/internal/show"
)

// Every accelerator and cluster is predicted of at every precision, in figures
// that JSON can hold (NaN and Inf it cannot), or refuses it in one line.
func TestPrecisionsAreFiniteOrRefused(t *testing.T) {
	refused := map[string]string{}
	for _, name := range append(catalog.AcceleratorNames(), catalog.ClusterNames()...) {
		for _, precision := range hardware.Precisions() {
			a, err := ask.Ask(ask.Question{Model: "llama3.2-1b", GPUs: 8, Hardware: name, Precision: precision})
			if err != nil {
				refused[name+" "+precision] = err.Error()
				continue
			}
			l, f, err := a.Layout("tp=2,pp=2,zero=1")
			if err != nil {
				t.Fatal(err)
			}
			if _, err := json.Marshal(show.NewExplanation(a, a.Explain(l, f))); err != nil {
				t.Errorf("%s at %s: %v", name, precision, err)
			}
		}
	}
	for at, text := range refused { // the one part whose fp32 rate no source states
		want := "--precision fp32: rtx-pro-6000-server has no fp32 rate: want one of bf16, fp16, fp8, fp8-block, mxfp8, nvfp4"
		if !strings.HasSuffix(at, "rtx-pro-6000-server fp32") && at != "box-8x-rtx-pro-6000 fp32" || text != want {
			t.Errorf("%s: %q", at, text)
		}
	}
	if len(refused) == 0 {
		t.Error("fp32 is not refused where the part has no rate for it")
	}
}
