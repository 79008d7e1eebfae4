package compare

import (
	"bytes"
	"strings"
	"testing"

	"planner/internal/ask"
	"planner/internal/show"
)

func whyOf(c *Comparison, term string) string {
	for _, t := range c.Terms {
		if t.Name == term {
			return t.Why
		}
	}
	return ""
}

// What was asked otherwise is the reason, not the degree that the best layouts
// happen to differ in; swapped, it is the same reason the other way round.
func TestSettingIsTheReason(t *testing.T) {
	small := ask.Question{Model: "8b", GPUs: 64}
	experts := ask.Question{Model: "mixtral-8x7b", GPUs: 64}
	for _, c := range []struct {
		q             ask.Question
		a, b          string
		compute, back string
		memory        string
	}{
		{small, "pass=forward,tp=2,mbs=2", "pass=train,tp=2,zero=1,mbs=2", "training, not forward only", "forward only, not training", "training, not forward only"},
		{experts, "capacity-factor=1", "capacity-factor=2", "capacity factor 2, not 1", "capacity factor 1, not 2", ""},
		{experts, "tp=4,ep=8,etp=1,zero=1", "imbalance=2,tp=4,ep=8,etp=1,zero=1", "imbalance 2, not an even load of the experts", "an even load of the experts, not imbalance 2", "imbalance 2"},
		{small, "attention=unfused", "attention=flash3", "attention flash3, not unfused", "attention unfused, not flash3", ""},
		{small, "attention=unfused,tp=4,zero=1", "attention=flash3,tp=2,zero=1", "attention flash3, not unfused", "attention unfused, not flash3", "attention flash3, not unfused"},
		{small, "trainable=0.01", "trainable=1", "100 % trainable, not 1 %", "1 % trainable, not 100 %", "gradients"},
		{small, "precision=bf16,tp=2,zero=1", "precision=fp8,tp=2,zero=1", "precision fp8, not bf16", "precision bf16, not fp8", ""},
		{small, "tp=2,zero=1", "hardware=b200-sxm,tp=2,zero=1", "b200-sxm, not h100-sxm-80gb", "h100-sxm-80gb, not b200-sxm", ""},
		{small, "tp=2,zero=1", "seq-len=4096,global-batch=512,tp=2,zero=1", "sequences of 4096, not 8192; 2,097,152 tokens a step, not 4,194,304",
			"sequences of 8192, not 4096; 4,194,304 tokens a step, not 2,097,152", "sequences of 4096, not 8192"},
		{small, "tp=2,zero=1", "global-batch=1024,tp=2,zero=1", "global batch 1024, not 512", "global batch 512, not 1024", ""},
		{small, "tp=2,zero=1", "gpus=128,global-batch=512,tp=2,zero=1", "128 GPUs, not 64", "64 GPUs, not 128", ""},
	} {
		sides := resolve(t, c.q, c.a, c.b)
		there, back := Of(sides), Of([]Side{sides[1], sides[0]})
		if got := whyOf(there, "compute"); got != c.compute {
			t.Errorf("%s, %s: compute: %q, want %q", c.a, c.b, got, c.compute)
		}
		if got := whyOf(back, "compute"); got != c.back {
			t.Errorf("%s, %s: compute: %q, want %q", c.b, c.a, got, c.back)
		}
		if got := whyOf(there, "memory"); !strings.Contains(got, c.memory) {
			t.Errorf("%s, %s: memory: %q, want %q", c.a, c.b, got, c.memory)
		}
	}
}

// A forward pass holds no gradients, whatever ZeRO would do with them, and a
// term that grows is not explained by what would shrink it.
func TestNoDegreeOfTheWrongSign(t *testing.T) {
	c := Of(resolve(t, ask.Question{Model: "8b", GPUs: 64}, "pass=forward,zero=3,framework=fsdp", "pass=train,zero=1,tp=2,framework=megatron"))
	for _, term := range c.Terms {
		if strings.Contains(term.Why, "keeps it whole") || strings.Contains(term.Why, "no ZeRO-3 gathers") && term.Values[1] > term.Values[0] {
			t.Errorf("%s: %v: %q", term.Name, term.Values, term.Why)
		}
	}
	same := Of(resolve(t, ask.Question{Model: "8b", GPUs: 64, Framework: "megatron"}, "tp=4,zero=1,recompute=full", "tp=8,zero=1,recompute=full:1"))
	if got := whyOf(same, "compute"); got != "recomputation full:1, not full" {
		t.Errorf("less recomputation in smaller GEMMs: %q", got)
	}
}

// Layers that are recomputed are written as in the layout.
func TestRecomputedLayers(t *testing.T) {
	c := Of(resolve(t, ask.Question{Model: "8b", GPUs: 64, Framework: "megatron"}, "recompute=full:5,zero=1", "recompute=full,zero=1"))
	for term, want := range map[string]string{"compute": "recomputation full, not full:5", "memory": "recompute=full, not full:5"} {
		if got := whyOf(c, term); !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", term, got, want)
		}
	}
}

// The line of a side shows what was asked otherwise, in the table and in JSON.
func TestSettingsAreShown(t *testing.T) {
	q := ask.Question{Model: "mixtral-8x7b", GPUs: 64, Framework: "megatron"}
	for arg, want := range map[string]string{
		"gpus-per-node=4": "nodes of 4", "inter-node=200Gb/s": "200 Gb/s per GPU between nodes", "imbalance=2": "imbalance 2",
		"pass=forward": "forward only", "trainable=0.01": "1 % trainable", "attention=flash2": "attention flash2", "capacity-factor=1.25": "capacity factor 1.25",
	} {
		c := Of(resolve(t, q, "pp=4,ep=8,zero=1", arg+",pp=4,ep=8,zero=1"))
		var b, doc bytes.Buffer
		Show(&b, "table", c)
		lines := strings.Split(b.String(), "\n")
		if strings.Contains(lines[1], want) || !strings.HasSuffix(lines[3], "· bf16 · "+want) {
			t.Errorf("%s: %q and %q, want %q in the second alone", arg, lines[1], lines[3], want)
		}
		if err := show.JSON(&doc, NewDocument(c)); err != nil || strings.Count(doc.String(), want) < 1 {
			t.Errorf("%s: no %q in the document: %v", arg, want, err)
		}
	}
}

// Calls of the same layout differ by the network they run on, or by the
// framework that hides them.
func TestNetworkIsTheReason(t *testing.T) {
	c := Of(resolve(t, ask.Question{Model: "8b", GPUs: 64, Framework: "megatron"}, "zero=3,framework=fsdp", "inter-node=25Gb/s,zero=3,framework=fsdp"))
	if got := whyOf(c, "exposed DP"); got != "other nodes or network" {
		t.Errorf("exposed DP: %q", got)
	}
	// A cluster of the same accelerator with a quarter of the network.
	c = Of(resolve(t, ask.Question{Model: "70b", GPUs: 64}, "hardware=dgx-h100,tp=4,pp=4,zero=1", "hardware=gcp-a3-high,tp=4,pp=4,zero=1"))
	if got := whyOf(c, "exposed DP"); got != "gcp-a3-high, not dgx-h100" {
		t.Errorf("exposed DP: %q", got)
	}
	c = Of(resolve(t, ask.Question{Model: "8b", GPUs: 64}, "framework=megatron,zero=1,tp=2", "framework=megatron-deepspeed,zero=1,tp=2"))
	if got := whyOf(c, "exposed TP"); got != "megatron-deepspeed, not megatron" {
		t.Errorf("exposed TP: %q", got)
	}
}
