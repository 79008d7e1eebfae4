package diagnose

import (
	"testing"

	"planner/internal/ask"
)

// nanotron's published runs lose most of a step to the allocator on 8 GPUs with
// two stages, and to exchanges between stages on 512 (presets/runs).
func TestWaitsAreFound(t *testing.T) {
	for _, x := range []struct {
		layout string
		gpus   int
		want   string
	}{
		{"pp=2,dp=4,zero=1", 8, "the allocator frees its cache"},
		{"tp=2,pp=4,dp=64,zero=1", 512, "wait 0."},
		{"tp=2,pp=4,dp=8,zero=1", 64, ""},
	} {
		c, err := Read(x.layout)
		if err != nil {
			t.Fatal(err)
		}
		s, err := Resolve(c, ask.Question{Model: "8b", GPUs: x.gpus, Framework: "nanotron", SeqLen: 4096, GlobalBatch: 512})
		if err != nil {
			t.Fatal(err)
		}
		got := s.rules()
		switch {
		case x.want == "" && (find(got, "allocator") || find(got, "neighbouring")):
			t.Errorf("%s on %d: %q", x.layout, x.gpus, got)
		case x.want != "" && !find(got, x.want):
			t.Errorf("%s on %d: no %q in %q", x.layout, x.gpus, x.want, got)
		}
	}
}
