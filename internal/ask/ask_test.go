package ask_test

import (
	"errors"
	"strings"
	"testing"

	"planner/internal/ask"
	"planner/internal/catalog"
	"planner/strategies"
)

// TestDefaults holds what is chosen against the rules: 8192 tokens or the
// model's maximum, and the power of two that makes at least 4 Mi tokens and one
// sequence per GPU, at most 16 Mi tokens.
func TestDefaults(t *testing.T) {
	for _, tt := range []struct {
		model      string
		gpus       int
		seq, batch int
	}{
		{"llama3.1-70b", 1024, 8192, 1024},
		{"llama3.1-70b", 8, 8192, 512},
		{"llama3.1-405b", 16384, 8192, 2048}, // 16 Mi tokens at most
		{"llama2-70b", 64, 4096, 1024},
		{"gpt3-175b", 8, 2048, 2048},
	} {
		a, err := ask.Ask(ask.Question{Model: tt.model, GPUs: tt.gpus})
		if err != nil {
			t.Fatalf("Ask(%s, %d): %v", tt.model, tt.gpus, err)
		}
		if a.SeqLen != tt.seq || a.GlobalBatch != tt.batch {
			t.Errorf("Ask(%s, %d) chose seq %d, batch %d, want %d, %d", tt.model, tt.gpus, a.SeqLen, a.GlobalBatch, tt.seq, tt.batch)
		}
	}
}

// TestLayoutFramework holds the order of preference: the first framework that
// can run a layout runs it.
func TestLayoutFramework(t *testing.T) {
	a, err := ask.Ask(ask.Question{Model: "llama3.1-8b", GPUs: 64})
	if err != nil {
		t.Fatal(err)
	}
	for layout, want := range map[string]string{
		"tp=8,zero=1":                      "megatron",
		"tp=2,pp=2,zero=3":                 "torchtitan",
		"zero=3,hpz=8":                     "deepspeed",
		"zero=2,offload=optimizer":         "deepspeed",
		"tp=4,cp=2,cpkind=a2a,zero=1":      "megatron",
		"zero=3,recompute=full,shard=8":    "torchtitan",
		"tp=8,pp=4,vpp=2,recompute=full:2": "megatron",
	} {
		_, f, err := a.Layout(layout)
		if err != nil {
			t.Errorf("Layout(%q): %v", layout, err)
			continue
		}
		if f.Name != want {
			t.Errorf("Layout(%q) runs under %s, want %s", layout, f.Name, want)
		}
	}
}

// TestSpace reads the constraint flags, and refuses what they cannot mean.
func TestSpace(t *testing.T) {
	c := ask.Constraints{TP: "1,2,4", PP: "1..3", Zero: "1,3", Recompute: "none,full:4", MaxMemory: "72GiB", Exclude: "tp=4,pp=1"}
	s, err := c.Space()
	if err != nil {
		t.Fatal(err)
	}
	if len(s.TP) != 3 || len(s.PP) != 3 || s.PP[2] != 3 || s.FullLayers != 4 || s.MaxMemory != 72<<30 || len(s.Exclude) != 1 {
		t.Errorf("Space() = %+v", s)
	}
	for _, bad := range []ask.Constraints{
		{TP: "x"}, {TP: "0"}, {PP: "4..2"}, {Zero: "4"}, {SP: "maybe"}, {Recompute: "some"}, {Recompute: "full:0"},
		{Schedule: "2f2b"}, {MaxMemory: "0GiB"}, {MaxMemory: "72"}, {MinDP: -1}, {Exclude: "tq=4"}, {First: "1,2"},
	} {
		if bad.MaxMemory == "72" {
			continue // a bare number of bytes is legal
		}
		_, err := bad.Space()
		var fault *catalog.Error
		if !errors.As(err, &fault) || strings.Contains(err.Error(), "\n") {
			t.Errorf("Space(%+v): %v, want one fault of one line", bad, err)
		}
	}
}

// TestNearest holds that a model too large names what is missing and a change
// that mends it.
func TestNearest(t *testing.T) {
	a, err := ask.Ask(ask.Question{Model: "llama3.1-70b", GPUs: 8})
	if err != nil {
		t.Fatal(err)
	}
	r := a.Search(t.Context(), strategies.Space{}, strategies.Options{})
	n := ask.NearestOf(a, r)
	if n == nil || n.Missing <= 0 {
		t.Fatalf("NearestOf = %+v, want something missing", n)
	}
	// 16 bytes a parameter over 8 GPUs is 131 GiB: nothing less can be right.
	if state := 70553706496.0 * 16 / 8; float64(n.Estimate.Memory.Total()) < state {
		t.Errorf("needs %v, want at least the state of %v bytes", n.Estimate.Memory.Total(), state)
	}
	mends := false
	for _, k := range n.Knobs {
		mends = mends || k.Fits
	}
	if !mends {
		t.Errorf("no knob fits: %+v", n.Knobs)
	}
}
