package knob_test

import (
	"strings"
	"testing"

	"planner/internal/ask"
	"planner/internal/sensitivity"
	"planner/internal/tui/knob"
)

// What the screen says of a knob is what `planner sensitivity` says under the
// command that the screen prints.
func TestSensitivityIsTheCommands(t *testing.T) {
	for _, c := range []struct {
		q      ask.Question
		layout string
	}{
		{ask.Question{Model: "llama3.1-405b", GPUs: 16384}, "tp=16,pp=4,vpp=3,zero=1,shard=128,first=30,last=30"},
		{ask.Question{Model: "llama3.1-405b", GPUs: 16384}, "tp=8,pp=16,zero=1,shard=128,first=7,last=7"},
		{ask.Question{Model: "llama3.1-405b", GPUs: 16384}, "tp=8,pp=8,vpp=2,cp=4,zero=1,shard=32,last=14"},
		{ask.Question{Model: "70b", GPUs: 1024}, "tp=4,pp=4,vpp=10,zero=1"},
		{ask.Question{Model: "70b", GPUs: 1024}, "tp=8,pp=4,zero=1,sp=false"},
		{ask.Question{Model: "70b", GPUs: 1024, Framework: "torchtitan"}, "tp=8,pp=2,zero=3,shard=16,recompute=full"},
		{ask.Question{Model: "70b", GPUs: 96, SeqLen: 6144, GlobalBatch: 192}, "tp=4,pp=2,cp=3,zero=1,mbs=2,recompute=full:20"},
		{ask.Question{Model: "8b", GPUs: 64}, "zero=3"},
		{ask.Question{Model: "8b", GPUs: 64, Framework: "deepspeed"}, "zero=3,hpz=8,recompute=full"},
		{ask.Question{Model: "8b", GPUs: 64, Framework: "deepspeed"}, "zero=3,offload=optimizer+param"},
		{ask.Question{Model: "8b", GPUs: 64, Framework: "fsdp"}, "zero=3,shard=8"},
		{ask.Question{Model: "mixtral-8x7b", GPUs: 64, Framework: "megatron"}, "tp=2,ep=4,etp=1,zero=1"},
		{ask.Question{Model: "deepseek-v3", GPUs: 2048}, "pp=16,ep=64,etp=1,zero=1,first=2,last=3"},
	} {
		a, err := ask.Ask(c.q)
		if err != nil {
			t.Fatal(err)
		}
		l, f, err := a.Layout(c.layout)
		if err != nil {
			t.Fatal(err)
		}
		e := a.Explain(l, f).Estimate
		pt := knob.At(a, &e)
		effects := knob.Sensitivity(&pt)
		turns := sensitivity.Turns(a.Problem, &e)
		for i := range turns {
			if !among(effects, &turns[i]) {
				t.Errorf("%s: %s %s → %s: not the screen's: %s", c.layout, turns[i].Name, turns[i].From, turns[i].To, turns[i].Reason)
			}
		}
		if n := layoutEffects(effects); n != len(turns) {
			t.Errorf("%s: %d turns on the screen, %d of the command", c.layout, n, len(turns))
		}
	}
}

func layoutEffects(effects []knob.Effect) (n int) {
	for _, e := range effects {
		switch e.Knob {
		case "GBS", "sequence", "GPUs", "precision", "link":
		default:
			n++
		}
	}
	return n
}

func among(effects []knob.Effect, k *sensitivity.Knob) bool {
	for i := range effects {
		e := &effects[i]
		if e.Knob != k.Name || e.From != k.From || e.To.Text != k.To {
			continue
		}
		if k.Estimate == nil {
			return strings.HasPrefix(e.To.Broken, k.Reason)
		}
		x := &e.To.Estimate
		return x.Layout == k.Estimate.Layout && x.Step == k.Estimate.Step && x.Low == k.Estimate.Low && x.High == k.Estimate.High &&
			x.Memory == k.Estimate.Memory && x.Framework == k.Estimate.Framework
	}
	return false
}
