package compare

import (
	"bytes"
	"strings"
	"testing"

	"planner/internal/ask"
)

// The part of memory that differs most is named with the degree that divides
// it, and both directions name the same degree.
func TestMemoryCause(t *testing.T) {
	long := ask.Question{Model: "70b", GPUs: 512, SeqLen: 131072, Framework: "megatron"}
	short := ask.Question{Model: "70b", GPUs: 512, Framework: "megatron"}
	sharded := ask.Question{Model: "8b", GPUs: 64, Framework: "fsdp"}
	for _, c := range []struct {
		q          ask.Question
		a, b, want string
	}{
		{long, "tp=8,pp=2,vpp=8,cp=8,zero=1,shard=16", "tp=8,pp=1", "activations +"},
		{long, "tp=8,pp=2,vpp=8,cp=8,zero=1,shard=16", "tp=8,pp=1", "cp=1, not 8"},
		{long, "tp=8,pp=1", "tp=8,pp=2,vpp=8,cp=8,zero=1,shard=16", "cp=8, not 1"},
		{short, "tp=8,pp=4,zero=1", "tp=8,pp=4,zero=0", "zero=0 keeps it whole, zero=1 splits it over 16 ranks"},
		{short, "tp=8,pp=4,zero=0", "tp=8,pp=4,zero=1", "zero=1 splits it over 16 ranks, zero=0 keeps it whole"},
		{short, "tp=8,pp=4,zero=1", "tp=8,pp=4,zero=1,mbs=2", "mbs=2, not 1"},
		{short, "tp=8,pp=4,zero=1", "tp=8,pp=4,zero=1,recompute=full", "recompute=full, not none"},
		{short, "tp=8,pp=4,zero=1", "tp=4,pp=4,zero=1", "tp=4, not 8"},
		{sharded, "zero=3,shard=8,recompute=full", "zero=3,recompute=full", "split over 64 ranks, not 8"},
	} {
		got := Of(resolve(t, c.q, c.a, c.b)).Terms
		if why := got[len(got)-1].Why; !strings.Contains(why, c.want) {
			t.Errorf("%s against %s: %q, want %q", c.a, c.b, why, c.want)
		}
	}
}

// ZeRO-1 alone divides master and moments, 12 bytes a parameter: the difference
// that is named is theirs. Of 70.55 B parameters in 8 × 4 parts a rank of the
// last stage holds 20 layers of 855.65 M and the head of 1050.67 M, by TP 8.
func TestMemoryCauseAmount(t *testing.T) {
	got := Of(resolve(t, ask.Question{Model: "70b", GPUs: 512, Framework: "megatron"}, "tp=8,pp=4,zero=1", "tp=8,pp=4,zero=0")).Terms
	held := (20*855.65e6 + 1050.67e6) / 8
	if want := 12 * held * 15 / 16 / (1 << 30); want < 23.75 || want > 23.95 || !strings.HasPrefix(got[len(got)-1].Why, "optimizer state +23.8 GiB") {
		t.Errorf("%q, want optimizer state +%.1f GiB", got[len(got)-1].Why, want)
	}
}

// What does not fit is never best, and says so before its figures.
func TestUnfit(t *testing.T) {
	q := ask.Question{Model: "70b", GPUs: 512, SeqLen: 131072, Framework: "megatron"}
	for _, args := range [][]string{{"best", "tp=8,pp=1"}, {"tp=8,pp=1", "best"}, {"tp=8,pp=1", "best", "tp=8,pp=2"}} {
		c := Of(resolve(t, q, args...))
		if c.Best < 0 || !c.Sides[c.Best].Predicted.Fits {
			t.Errorf("%v: best is %d, which does not fit", args, c.Best)
		}
		var b bytes.Buffer
		Show(&b, "table", c)
		before, _, _ := strings.Cut(b.String(), "step, s")
		if !strings.Contains(before, "does not fit, 4") || strings.Contains(b.String(), "is faster") || strings.Contains(b.String(), "B takes") {
			t.Errorf("%v: not told before the step that it does not fit\n%s", args, b.String())
		}
	}
	if c := Of(resolve(t, q, "tp=8,pp=1", "tp=4,pp=1")); c.Best >= 0 || !strings.HasPrefix(c.Why, "neither fits") {
		t.Errorf("best %d, %q of two that do not fit", c.Best, c.Why)
	}
}
