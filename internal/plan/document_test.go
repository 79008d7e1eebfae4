package plan

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"planner/hardware"
	"planner/hardware/unit"
	"planner/internal/ask"
	"planner/internal/show"
	"planner/strategies"
)

// drawn is a question with any of the flags, and a layout that it may have.
func drawn(t *rapid.T) (ask.Question, string) {
	pick := func(label string, values ...string) string { return rapid.SampledFrom(values).Draw(t, label) }
	number := func(label string, values ...float64) float64 { return rapid.SampledFrom(values).Draw(t, label) }
	q := ask.Question{
		Model: pick("model", "1b", "llama3.1-8b", "9b", "mixtral-8x7b", "deepseek-v2-lite", "./own.toml", "own"), GPUs: 32,
		Hardware:    pick("hardware", "", "h100", "a100-sxm-40gb", "gb200-nvl72", "aws-p5", "dgx-h100.toml"),
		SeqLen:      rapid.SampledFrom([]int{0, 2048, 4096}).Draw(t, "seq"),
		GlobalBatch: rapid.SampledFrom([]int{0, 64, 256}).Draw(t, "batch"),
		Precision:   pick("precision", "", "bf16", "fp8", "fp32"), Framework: pick("framework", "", "any", "megatron", "fsdp"),
		Pass: pick("pass", "", "train", "forward"), Attention: pick("attention", "", "usual", "flash2", "unfused"),
		Trainable: number("trainable", 0, 1, 0.3), Imbalance: number("imbalance", 0, 1, 1.5), Capacity: number("capacity", 0, 1.25),
	}
	if rapid.Bool().Draw(t, "long") {
		q.SeqLen, q.AllowLong = 1<<18, true
	}
	o := &q.Options
	o.GPUsPerNode = rapid.SampledFrom([]int{0, 2, 4}).Draw(t, "node")
	o.InterNode = unit.BytesPerSecond(number("rate", 0, 25e9, 1e9/3))
	o.NICs = rapid.SampledFrom([]int{0, 1, 4}).Draw(t, "nics")
	o.Fabric = hardware.LinkKind(pick("fabric", "", "roce", "efa"))
	o.Latency = unit.Seconds(number("latency", 0, 1e-5/3))
	return q, pick("layout", "tp=2,zero=1", "pp=2,tp=2,zero=1,recompute=full", "zero=3,recompute=full", "tp=2,ep=2,zero=1", "cp=2,zero=1")
}

// TestQuestionTravels: what suggest and explain write as JSON is asked again as
// it was, where files are copies: the same figures to the last digit.
func TestQuestionTravels(t *testing.T) {
	with, without := t.TempDir(), t.TempDir()
	t.Chdir(with)
	for name, text := range map[string]string{"own.toml": "like = \"llama3.1-8b\"\nlayers = 16\n", "own": "like = \"llama3.1-8b\"\nlayers = 12\n", "dgx-h100.toml": ownCluster} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	rapid.Check(t, func(r *rapid.T) {
		q, layout := drawn(r)
		t.Chdir(with)
		a, err := ask.Ask(q)
		if err != nil {
			r.Skip(err)
		}
		l, f, err := a.Layout(layout)
		if err != nil {
			r.Skip(err)
		}
		x := a.Explain(l, f)
		want := FiguresOf(a.Problem, &x.Estimate)
		t.Chdir(without)
		for _, doc := range []any{show.NewExplanation(a, x), show.NewSuggestion(a, &strategies.Result{Ranking: []strategies.Estimate{x.Estimate}}, nil)} {
			text, err := json.Marshal(doc)
			if err != nil {
				r.Fatal(err)
			}
			p, err := Parse("a.json", text)
			if err != nil {
				r.Fatal(err)
			}
			b, y, err := p.Estimate()
			if err != nil {
				r.Fatal(err)
			}
			if d := cmp.Diff(want, FiguresOf(b.Problem, &y.Estimate)); d != "" {
				r.Fatalf("figures changed (-asked +asked again):\n%s", d)
			}
			if d := cmp.Diff(want, p.Predicted); d != "" {
				r.Fatalf("figures changed (-asked +read):\n%s", d)
			}
		}
	})
}
