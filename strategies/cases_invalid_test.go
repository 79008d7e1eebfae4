package strategies_test

import (
	"regexp"
	"strings"
	"testing"

	"planner/costmodel"
	"planner/internal/ask"
	"planner/internal/catalog"
	"planner/internal/show"
	"planner/strategies"
)

// refused checks that a layout is refused by a rule, in words that name what
// the case does.
func refused(t *testing.T, v *strategies.Violation, rule strategies.Rule, words ...string) {
	t.Helper()
	if v == nil {
		t.Errorf("legal, want a refusal by %s", rule)
		return
	}
	if v.Rule != rule {
		t.Errorf("refused by %s, want %s: %v", v.Rule, rule, v)
	}
	for _, w := range words {
		if !strings.Contains(v.Error(), w) {
			t.Errorf("%q does not say %q", v.Error(), w)
		}
	}
}

func legal(t *testing.T, v *strategies.Violation) {
	t.Helper()
	if v != nil {
		t.Errorf("refused: %v", v)
	}
}

// fitting returns the TP degrees up to n that split the model.
func fitting(m *costmodel.Model, n int) []int {
	var out []int
	for tp := 1; tp <= n; tp++ {
		if strategies.TPFits(m, tp) {
			out = append(out, tp)
		}
	}
	return out
}

func sameInts(a []int, b ...int) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// 52 heads do not split over 8 ranks.
func TestCase054(t *testing.T) {
	c := loadCase(t, "054-heads-52-tp8")
	heads := int(number(t, c.Model["heads"]))
	m := shaped(t, catalog.Shape{Layers: 60, Hidden: 6656, Heads: heads, FFN: 52 * 344})
	refused(t, refusal(t, problemOf(t, m, "megatron", 8, 8), "tp=8"), strategies.RuleHeads, "52 heads", "8", "1, 2 or 4")
	if got := fitting(m, 52); !sameInts(got, 1, 2, 4, 13, 26, 52) {
		t.Errorf("tp fits at %v, want %v", got, c.Expect["suggest"])
	}
}

// 28 heads of 4 key/value heads: 7 and 14 divide the former only.
func TestCase055(t *testing.T) {
	loadCase(t, "055-heads-28-kv4-tp8")
	m := shaped(t, catalog.Shape{Layers: 28, Hidden: 3584, Heads: 28, KVHeads: 4, FFN: 28 * 676})
	refused(t, refusal(t, problemOf(t, m, "megatron", 8, 8), "tp=8"), strategies.RuleHeads, "28 heads and 4 KV heads", "1, 2 or 4")
	if got := fitting(m, 28); !sameInts(got, 1, 2, 4, 28) {
		t.Errorf("tp fits at %v, want 1, 2, 4 and 28", got)
	}
}

// 10 key/value heads do not split over 4 ranks.
func TestCase057(t *testing.T) {
	loadCase(t, "057-phi4-kv10-tp4")
	m := shaped(t, catalog.Shape{Layers: 40, Hidden: 5120, Heads: 40, KVHeads: 10, HeadDim: 128, FFN: 17920})
	refused(t, refusal(t, problemOf(t, m, "megatron", 4, 8), "tp=4"), strategies.RuleHeads, "10 KV heads", "1 or 2")
	if got := fitting(m, 10); !sameInts(got, 1, 2, 5, 10) {
		t.Errorf("tp fits at %v, want 1, 2, 5 and 10", got)
	}
}

// 61 layers over 4 stages need an uneven split, which is offered and legal.
func TestCase059(t *testing.T) {
	loadCase(t, "059-uneven-61-layers")
	m := shaped(t, catalog.Shape{Layers: 61, Hidden: 7168, Heads: 128})
	p := problemOf(t, m, "megatron", 32, 32)
	v := refusal(t, p, "pp=4")
	refused(t, v, strategies.RuleLayers, "61 layers", "4 stages")
	split := regexp.MustCompile(`(first=\d+)?,?(last=\d+)?`).FindString(v.Remedy[strings.IndexAny(v.Remedy, "fl"):])
	legal(t, refusal(t, p, "pp=4,"+split))
	refused(t, refusal(t, problemOf(t, m, "nanotron", 32, 32), "pp=4"), strategies.RuleLayers, "61 layers", "4 stages") // splits by cost, but of even layouts only
	if !strings.Contains(v.Remedy, "pp=1") || strings.Contains(v.Remedy, "pp=61") {
		t.Errorf("%q does not offer pp=1, or pp=61, which does not divide 32 GPUs", v.Remedy)
	}
}

// Interleaving needs a multiple of pp micro-batches, plain 1F1B does not.
func TestCase060(t *testing.T) {
	c := loadCase(t, "060-interleave-microbatch-multiple")
	m := shaped(t, catalog.Shape{Layers: int(number(t, c.Model["layers"])), Hidden: 4096})
	p := problemOf(t, m, "megatron", 4, int(number(t, c.Layout["microbatches"])))
	refused(t, refusal(t, p, "pp=4,vpp=2"), strategies.RuleFill, "10 micro-batches", "pp=4", "8 or 12", "vpp=1")
	legal(t, refusal(t, p, "pp=4"))
}

// One micro-batch does not fill 8 stages: an error of some frameworks, a
// warning of others.
func TestCase061(t *testing.T) {
	c := loadCase(t, "061-microbatches-fewer-than-stages")
	m := shaped(t, catalog.Shape{Layers: int(number(t, c.Model["layers"])), Hidden: 1024})
	for _, f := range c.Expect["error_for_frameworks"].([]any) {
		refused(t, refusal(t, problemOf(t, m, f.(string), 8, 1), "pp=8"), strategies.RuleFramework, "1 micro-batches", "gradient accumulation", "8 stages", "--global-batch 8")
	}
	p := problemOf(t, m, "megatron", 8, 1)
	legal(t, refusal(t, p, "pp=8"))
	l, _ := strategies.Layout{PP: 8}.Complete(8)
	warned := strings.Join(show.ExplainWarnings(&ask.Answer{Problem: p}, p.Explain(l, p.Profiles[0])), "; ")
	if !strings.Contains(warned, "cannot fill 8 stages (bubble 87.5 %)") {
		t.Errorf("warnings %q, want that of the case: %v", warned, c.Expect["warning_otherwise"])
	}
	within(t, "bubble", costmodel.BubbleFraction(8, 1, 1), number(t, c.Expect["bubble"]), 0)
}

// A batch of 256 on 7 ranks of micro-batches of 2; of 9 on 3 of 1.
func TestCase062(t *testing.T) {
	loadCase(t, "062-batch-256-not-2x18x7")
	m := shaped(t, catalog.Shape{Layers: 8, Hidden: 1024})
	refused(t, refusal(t, problemOf(t, m, "megatron", 7, 256), "mbs=2"), strategies.RuleBatch, "256", "14", "252 or 266")
	legal(t, refusal(t, problemOf(t, m, "megatron", 7, 252), "mbs=2"))
	legal(t, refusal(t, problemOf(t, m, "megatron", 8, 256), "mbs=4"))
	legal(t, refusal(t, problemOf(t, m, "megatron", 3, 9), "dp=3"))
	refused(t, refusal(t, problemOf(t, m, "megatron", 2, 9), "dp=2"), strategies.RuleBatch, "8 or 10")
}

// A batch is never truncated.
func TestCase063(t *testing.T) {
	c := loadCase(t, "063-gbs-truncated-silently")
	m := shaped(t, catalog.Shape{Layers: 8, Hidden: 1024})
	p := problemOf(t, m, "megatron", 8, int(number(t, c.Layout["gbs"])))
	refused(t, refusal(t, p, "dp=8,mbs=4"), strategies.RuleBatch, "250", "32", c.Expect["suggest"].(string))
}

// Degrees that multiply to 8 on 4 GPUs.
func TestCase065(t *testing.T) {
	loadCase(t, "065-world-not-product")
	p := problemOf(t, shaped(t, catalog.Shape{Layers: 8, Hidden: 1024}), "megatron", 4, 8)
	refused(t, refusal(t, p, "tp=2,pp=2,dp=2"), strategies.RuleWorld, "= 8", "4 GPUs", "dp=1", "--gpus 8")
}

// Sequence parallelism needs TP; experts under TP without it are warned of.
func TestCase067(t *testing.T) {
	loadCase(t, "067-sp-needs-tp")
	p := problemOf(t, shaped(t, catalog.Shape{Layers: 8, Hidden: 1024}), "megatron", 8, 8)
	refused(t, refusal(t, p, "tp=1,sp=true"), strategies.RuleSP, "needs tp>1", "drop sp")
	a, err := ask.Ask(ask.Question{Model: "mixtral-8x7b", GPUs: 8, GlobalBatch: 8, Framework: "megatron"})
	if err != nil {
		t.Fatal(err)
	}
	l, f, err := a.Layout("tp=2,sp=false,ep=4")
	if err != nil {
		t.Fatal(err)
	}
	if w := strings.Join(show.ExplainWarnings(a, a.Problem.Explain(l, f)), "; "); !strings.Contains(w, "set sp=true") {
		t.Errorf("warnings %q, want one about sp", w)
	}
}

// Context parallelism that drops the masks of windows and recurrent layers.
func TestCase069(t *testing.T) {
	c := loadCase(t, "069-cp-with-sliding-window")
	presets := map[string]string{"openai--gpt-oss-20b.json": "gpt-oss-20b", "google--gemma-3-1b-it.json": "gemma3-1b", "Qwen--Qwen3-Next-80B-A3B.json": "qwen3-next-80b-a3b"}
	for _, f := range c.Model["files"].([]any) {
		m, err := catalog.Model(presets[f.(string)])
		if err != nil {
			t.Fatal(err)
		}
		refused(t, refusal(t, problemOf(t, m, "torchtitan", 8, 8), "cp=8"), strategies.RuleFramework, "torchtitan", "sliding-window or recurrent", "tp with sp", "megatron")
		refused(t, refusal(t, problemOf(t, m, "fsdp", 8, 8), "cp=8"), strategies.RuleFramework, "context parallelism", "another framework")
		legal(t, refusal(t, problemOf(t, m, "megatron", 8, 8), "cp=8,cpkind=allgather"))
		if ring := refusal(t, problemOf(t, m, "megatron", 8, 8), "cp=8"); strings.HasPrefix(presets[f.(string)], "qwen3-next") { // states, no windows
			legal(t, ring)
		} else {
			refused(t, ring, strategies.RuleFramework, "windows", "cpkind=allgather or a2a")
		}
	}
}

// DeepSpeed's pipeline engine takes ZeRO-1 and no higher; torchtitan's all.
func TestCase073(t *testing.T) {
	c := loadCase(t, "073-zero23-with-pp")
	m := shaped(t, catalog.Shape{Layers: 8, Hidden: 1024})
	p := problemOf(t, m, "deepspeed", 8, 8)
	valid := c.Expect["valid"].([]any)
	for i, layout := range []string{"pp=2,zero=2", "pp=2,zero=3", "pp=2,zero=1"} {
		if v := refusal(t, p, layout); valid[i].(bool) {
			legal(t, v)
		} else {
			refused(t, v, strategies.RuleFramework, "deepspeed cannot combine", "pp>1", "pp=1", "torchtitan")
		}
	}
	legal(t, refusal(t, problemOf(t, m, "torchtitan", 8, 8), "pp=2,zero=3"))
}

// A stage never holds nothing: nanotron, which balances by cost, would leave one
// so where the head outweighs the layers, and is refused; others balance by
// layers, of which there may not be fewer than stages.
func TestCase075(t *testing.T) {
	c := loadCase(t, "075-stage-with-zero-parameters")
	layers := int(number(t, c.Model["layers"]))
	m := shaped(t, catalog.Shape{Layers: layers, Hidden: 128, Heads: 4, FFN: 512, Vocab: int(number(t, c.Model["vocab"]))})
	refused(t, refusal(t, problemOf(t, m, "nanotron", 8, 8), "pp=2"), strategies.RuleFramework, c.Expect["reason"].(string), "balances by layers", "pp=1")
	p := problemOf(t, m, "megatron", 8, 8)
	l, v := strategies.Layout{PP: 2}.Complete(8)
	legal(t, v)
	for i, n := range p.Explain(l, p.Profiles[0]).Layers {
		if n != 1 {
			t.Errorf("stage %d holds %d layers, want 1", i, n)
		}
	}
	refused(t, refusal(t, p, "pp=4"), strategies.RuleEmpty, c.Expect["reason"].(string), "pp=1")
}

// TestShardOverCP: torchtitan's FSDP mesh is dp_shard·cp, so that it splits
// state wherever there is cp.
func TestShardOverCP(t *testing.T) {
	m := shaped(t, catalog.Shape{Layers: 8, Hidden: 1024})
	p := problemOf(t, m, "torchtitan", 16, 16)
	refused(t, refusal(t, p, "cp=2"), strategies.RuleFramework, "ranks of cp", "zero=2 or 3", "cp=1")
	legal(t, refusal(t, p, "cp=4,zero=3,shard=8"))
	legal(t, refusal(t, p, "cp=2,zero=2"))
	legal(t, refusal(t, problemOf(t, m, "megatron", 16, 16), "cp=2"))
}

// TestUlyssesAlone: DeepSpeed's sequence parallelism asserts tensor and pipeline
// parallelism of 1 (Megatron-DeepSpeed core/parallel_state.py).
func TestUlyssesAlone(t *testing.T) {
	p := problemOf(t, shaped(t, catalog.Shape{Layers: 8, Hidden: 1024}), "deepspeed", 16, 16)
	for _, layout := range []string{"cp=2,tp=2", "cp=2,pp=2,cpkind=a2a"} {
		refused(t, refusal(t, p, layout), strategies.RuleFramework, "only without tp and pp", "use tp=1,pp=1 or cp=1")
	}
	legal(t, refusal(t, p, "cp=2,zero=3,cpkind=a2a"))
}

// TestExpertFolds: torchtitan splits experts over EP or, without it, over TP
// (models/common/moe_sharding.py, where EFSDP·EP = shard·CP·TP); DeepSpeed's own
// layers refuse ZeRO-3, which its AutoEP takes, but not with sequence parallelism
// or a secondary shard (docs/_pages/config-json.md).
func TestExpertFolds(t *testing.T) {
	m, err := catalog.Model("mixtral-8x7b")
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct{ framework, layout, mends string }{
		{"torchtitan", "tp=2,ep=8,etp=1,zero=3", ""},
		{"torchtitan", "tp=2,zero=3", ""},
		{"torchtitan", "tp=2,ep=8,zero=3", "etp=1"},
		{"torchtitan", "tp=2,ep=1,etp=1,zero=3", "etp=2"},
		{"megatron", "tp=2,ep=8,zero=1", ""},
		{"deepspeed", "ep=8,zero=3", ""},
		{"deepspeed", "cp=2,ep=8,zero=2,cpkind=a2a", ""},
		{"deepspeed", "cp=2,ep=8,zero=3,cpkind=a2a", "zero=2"},
		{"deepspeed", "ep=8,zero=3,hpz=8", "zero=2"},
		{"megatron-deepspeed", "ep=8,zero=2", ""},
		{"megatron-deepspeed", "ep=8,zero=3", "ep=1"},
	} {
		if v := refusal(t, problemOf(t, m, x.framework, 64, 64), x.layout); x.mends == "" {
			legal(t, v)
		} else {
			refused(t, v, strategies.RuleFramework, x.framework, x.mends)
		}
	}
}
