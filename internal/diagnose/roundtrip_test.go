package diagnose

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"planner/internal/ask"
	"planner/internal/export"
	"planner/internal/knobs"
	"planner/strategies"
)

// pairs are those of a layout string but for the keys given.
func pairs(l *strategies.Layout, without []string) string {
	var out []string
	for _, pair := range strings.Split(l.String(), ",") {
		if key, _, _ := strings.Cut(pair, "="); !slices.Contains(without, key) {
			out = append(out, pair)
		}
	}
	return strings.Join(out, ",")
}

// back exports a layout and reads the file; the keys that the export says it
// cannot express are of no account.
func back(a *ask.Answer, target, file string, l strategies.Layout, f *strategies.Profile) error {
	p := &export.Plan{Problem: a.Problem, Layout: l, Profile: f, ModelRef: a.Model, Planner: "0.0.0"}
	d, err := export.Export(target, p)
	if err != nil {
		return nil // refused in a line
	}
	c, err := Parse(file, []byte(d.Text))
	if err != nil {
		return err
	}
	_, read, _, err := c.layout(ask.Question{Model: a.Model, GPUs: a.GPUs, SeqLen: a.SeqLen, GlobalBatch: a.GlobalBatch, Framework: f.Name})
	switch {
	case err != nil && d.Keys != nil:
		return nil // the file is another layout, as the export says
	case err != nil:
		return fmt.Errorf("%w in\n%s", err, d.Text)
	}
	if l.FullLayers >= longest(&l, a.Problem.Model.Layers()) {
		l.FullLayers = 0 // every layer, in other words
	}
	if got, want := pairs(&read, d.Keys), pairs(&l, d.Keys); got != want {
		return fmt.Errorf("read back as %s in\n%s", got, d.Text)
	}
	return nil
}

// What an exporter writes is what diagnose reads, in every legal layout that a
// walk over the knobs meets.
func TestRoundTrip(t *testing.T) {
	for _, c := range []struct {
		target, file string
		q            ask.Question
		from         []string
	}{
		{"megatron", "megatron.args", ask.Question{Model: "70b", GPUs: 256, Framework: "megatron"},
			[]string{"tp=4,pp=4,vpp=5,zero=1", "tp=8,cp=2,zero=1,shard=4,cpkind=a2a", "tp=2,pp=8,vpp=2,cp=4,zero=1,shard=4,recompute=full:4", "tp=8,pp=4,first=18,last=18,sp=false"}},
		{"megatron", "megatron.args", ask.Question{Model: "mixtral-8x7b", GPUs: 64, Framework: "megatron"},
			[]string{"tp=2,pp=2,ep=8,etp=1,zero=1,dispatcher=flex", "tp=4,ep=4,zero=1,shard=4,recompute=selective"}},
		{"megatron", "megatron.args", ask.Question{Model: "deepseek-v3", GPUs: 2048, SeqLen: 4096, Framework: "megatron"},
			[]string{"pp=16,ep=64,zero=1,first=2,last=3"}},
		{"torchtitan-toml", "titan.toml", ask.Question{Model: "70b", GPUs: 256, Framework: "torchtitan"},
			[]string{"tp=8,pp=4,vpp=2,zero=3,shard=8,recompute=full", "tp=4,cp=2,zero=2,cpkind=allgather", "tp=8,pp=2,zero=3,first=38", "tp=8,pp=4", "tp=8,cp=2,zero=3"}},
		{"torchtitan-toml", "titan.toml", ask.Question{Model: "mixtral-8x7b", GPUs: 64, Framework: "torchtitan"},
			[]string{"tp=2,ep=4,etp=1,zero=3", "ep=8,zero=2"}},
		{"deepspeed", "ds_config.json", ask.Question{Model: "8b", GPUs: 64, Framework: "deepspeed"},
			[]string{"zero=3,hpz=8,recompute=full", "zero=3,shard=8,mbs=2", "tp=2,zero=1,sp=false", "cp=4,zero=2,cpkind=a2a,recompute=full:8", "zero=3,offload=optimizer+param", "zero=2,offload=optimizer", "tp=4,zero=3,sp=false"}},
		{"deepspeed", "ds_config.json", ask.Question{Model: "mixtral-8x7b", GPUs: 64, Framework: "deepspeed"},
			[]string{"ep=8,zero=2", "tp=2,ep=4,etp=1,zero=1,sp=false", "ep=8,zero=3,recompute=full"}},
	} {
		a, err := ask.Ask(c.q)
		if err != nil {
			t.Fatal(err)
		}
		rapid.Check(t, func(t *rapid.T) {
			l, f, err := a.Layout(rapid.SampledFrom(c.from).Draw(t, "from"))
			if err != nil {
				t.Fatal(err)
			}
			for range rapid.IntRange(0, 6).Draw(t, "turns") {
				all := knobs.Of(a.Problem, &l)
				k := all[rapid.IntRange(0, len(all)-1).Draw(t, "knob")]
				if m, ok := k.Next(a.Problem, f, l, rapid.Bool().Draw(t, "up")); ok && m.Broken == nil {
					l = m.Layout
				}
			}
			if err := back(a, c.target, c.file, l, f); err != nil {
				t.Fatalf("--to %s of %s: %v", c.target, l, err)
			}
		})
	}
}

// The number of optimizer instances divides the data-parallel ranks among them.
func TestOptimizerInstances(t *testing.T) {
	const args = "--tensor-model-parallel-size 2 --micro-batch-size 1 --global-batch-size 64 --bf16 --use-distributed-optimizer --num-distributed-optimizer-instances "
	for text, want := range map[string]string{"4": "tp=2,dp=32,zero=1,shard=8", "1": "tp=2,dp=32,zero=1"} {
		c, err := Parse("a.args", []byte(args+text))
		if err != nil {
			t.Fatal(err)
		}
		s, err := Resolve(c, ask.Question{Model: "8b", GPUs: 64})
		if err != nil || pairs(&s.Explain.Layout, []string{"sp"}) != want {
			t.Errorf("%s instances: %v, want %s", text, err, want)
		}
	}
	c, err := Parse("a.args", []byte(args+"3"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err = Resolve(c, ask.Question{Model: "8b", GPUs: 64}); err == nil || !strings.Contains(err.Error(), "instances 3: does not divide dp·cp = 32") {
		t.Errorf("3 instances of 32 ranks: %v", err)
	}
}
