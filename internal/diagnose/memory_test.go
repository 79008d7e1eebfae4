package diagnose

import (
	"strings"
	"testing"

	"planner/costmodel/collective"
	"planner/internal/ask"
)

// TestRemediesFit holds that nothing is proposed that lacks memory: 8 B parameters
// without recomputation keep 34 × 4096 bytes a token and layer (Korthikanti et
// al., 2022), 34 GiB of a sequence of 8192, of which 40 GB hold no second one.
func TestRemediesFit(t *testing.T) {
	for _, layout := range []string{"dp=16,zero=3", "dp=16,zero=2", "dp=16,zero=3,mbs=2", "dp=16,zero=3,recompute=full", "tp=2,dp=8,zero=3"} {
		c, err := Read(layout)
		if err != nil {
			t.Fatal(err)
		}
		s, err := Resolve(c, ask.Question{Model: "8b", GPUs: 16, Hardware: "a100-sxm-40gb", Framework: "torchtitan"})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range s.rules() {
			if strings.Contains(f.Says, "does not fit") && strings.Contains(f.Says, "→") {
				t.Errorf("%s: proposes what does not fit: %s", layout, f.Says)
			}
		}
		d := s.answer(Share{collective.AllGather, 0.6}).Diagnosis
		if d == nil {
			t.Fatalf("%s: no diagnosis of 60 %% in all_gather", layout)
		}
		for i := range d.Remedy {
			if e := &d.Remedy[i]; !e.Fits || e.Memory.Total() > s.Answer.Problem.Capacity() {
				t.Errorf("%s: remedy %s takes %.1f GiB", layout, e.Layout, e.Memory.Total().GiB())
			}
		}
		if !s.Explain.Fits && d.Remedy == nil && !strings.Contains(d.Knob, "free memory first") {
			t.Errorf("%s is short of memory, the knob says %q", layout, d.Knob)
		}
	}
}

// TestLargerMicroBatchOnlyWhereItFits takes a layout with room and one without.
func TestLargerMicroBatchOnlyWhereItFits(t *testing.T) {
	for _, tt := range []struct{ hardware, want string }{
		{"a100-sxm-40gb", "; mbs=2, which halves it, does not fit"},
		{"b300-sxm", "; mbs=2 halves it: step "},
	} {
		c, err := Read("dp=16,zero=3")
		if err != nil {
			t.Fatal(err)
		}
		s, err := Resolve(c, ask.Question{Model: "8b", GPUs: 16, Hardware: tt.hardware, Framework: "fsdp"})
		if err != nil {
			t.Fatal(err)
		}
		if got := s.rules(); !find(got, tt.want) {
			t.Errorf("%s: no %q in %q", tt.hardware, tt.want, got)
		}
	}
}
