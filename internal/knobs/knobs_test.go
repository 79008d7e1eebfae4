package knobs_test

import (
	"testing"

	"pgregory.net/rapid"

	"planner/internal/ask"
	"planner/internal/knobs"
	"planner/strategies"
)

func asked(t testing.TB, q ask.Question, layout string) (*strategies.Problem, *strategies.Profile, strategies.Layout) {
	t.Helper()
	a, err := ask.Ask(q)
	if err != nil {
		t.Fatal(err)
	}
	l, f, err := a.Layout(layout)
	if err != nil {
		t.Fatal(err)
	}
	return a.Problem, f, l
}

// Llama 3.1 405B has 126 = 2·3²·7 layers and 128 heads (published
// configuration): over 8 stages they divide unevenly only.
func TestOneKnobMoves(t *testing.T) {
	large := ask.Question{Model: "llama3.1-405b", GPUs: 16384, GlobalBatch: 2048, Framework: "megatron"}
	for _, c := range []struct {
		q                ask.Question
		from, knob, want string
		up               bool
	}{
		{large, "tp=16,pp=4,vpp=3,zero=1,shard=128,first=30,last=30", "TP", "tp=8,pp=4,vpp=3,dp=512,zero=1,shard=128,first=30,last=30", false},
		{large, "tp=16,pp=4,vpp=3,zero=1,shard=128,first=30,last=30", "PP", "tp=16,pp=8,vpp=3,dp=128,zero=1,first=18,last=18", true},
		{large, "tp=16,pp=4,vpp=3,zero=1,shard=128,first=30,last=30", "PP", "tp=16,pp=2,vpp=3,dp=512,zero=1,shard=128", false},
		{large, "tp=16,pp=4,vpp=3,zero=1,shard=128,first=30,last=30", "VPP", "tp=16,pp=4,vpp=6,dp=256,zero=1,shard=128,first=36", true},
		{large, "tp=16,pp=4,vpp=3,zero=1,first=30,last=30", "CP", "tp=16,pp=4,vpp=3,cp=2,dp=128,zero=1,first=30,last=30", true},
		// Between ends of 6 lie 114 layers, 57 for each of two ranks and 19 for
		// each of six: the split stays.
		{large, "tp=16,pp=4,zero=1,first=6,last=6", "PP", "tp=16,pp=8,dp=128,zero=1,first=6,last=6", true},
		{ask.Question{Model: "8b", GPUs: 64, Framework: "deepspeed"}, "zero=3,offload=optimizer+param", "ZeRO", "dp=64,zero=2,offload=optimizer", false},
		{ask.Question{Model: "8b", GPUs: 64, Framework: "deepspeed"}, "zero=1", "CP", "cp=2,dp=32,zero=1,cpkind=a2a", true},
		{ask.Question{Model: "8b", GPUs: 64, Framework: "deepspeed"}, "zero=1", "TP", "tp=2,dp=32,zero=1,sp=false", true},
		{ask.Question{Model: "8b", GPUs: 64, Framework: "megatron"}, "tp=4,zero=1,sp=false", "TP", "tp=2,dp=32,zero=1,sp=false", false},
		{ask.Question{Model: "8b", GPUs: 64, Framework: "megatron"}, "tp=2,zero=1,sp=false", "TP", "dp=64,zero=1", false},
		{ask.Question{Model: "8b", GPUs: 64, Framework: "megatron"}, "tp=2,zero=1,shard=32", "TP", "tp=4,dp=16,zero=1", true},
	} {
		p, f, l := asked(t, c.q, c.from)
		m, ok := knobs.Named(c.knob).Next(p, f, l, c.up)
		if !ok || m.Broken != nil || m.Layout.String() != c.want {
			t.Errorf("%s from %s: %s, %v, want %s", c.knob, c.from, m.Layout, m.Broken, c.want)
		}
	}
}

// Where no value is legal, the nearest says why, in the words of the check.
func TestNextSaysWhyNot(t *testing.T) {
	p, f, l := asked(t, ask.Question{Model: "8b", GPUs: 64, Framework: "megatron"}, "tp=2,zero=1")
	m, ok := knobs.Named("ZeRO").Next(p, f, l, true)
	if !ok || m.To != "2" || m.Broken == nil || m.Broken.Rule != strategies.RuleFramework {
		t.Errorf("ZeRO above 1 under Megatron: %+v", m)
	}
	if m, ok = knobs.Named("CP").Next(p, f, l, false); ok {
		t.Errorf("CP below 1: %+v", m)
	}
}

// Whatever is turned, a legal layout fills the cluster, the knob stands at its
// value, and other knobs stand where they stood but for what follows.
func TestTurns(t *testing.T) {
	p, f, start := asked(t, ask.Question{Model: "70b", GPUs: 1024, Framework: "megatron"}, "tp=4,pp=4,vpp=5,zero=1,shard=32")
	follows := map[string][]string{"PP": {"VPP", "schedule", "shard"}, "VPP": {"schedule"}, "TP": {"SP", "shard"}, "CP": {"shard"}, "ZeRO": {"shard"}}
	rapid.Check(t, func(t *rapid.T) {
		l := start
		for range rapid.IntRange(1, 8).Draw(t, "turns") {
			k := rapid.SampledFrom(knobs.Of(p, &l)).Draw(t, "knob")
			m, ok := k.Next(p, f, l, rapid.Bool().Draw(t, "up"))
			if !ok || m.Broken != nil {
				continue
			}
			if v := p.Check(&m.Layout, f); v != nil || m.Layout.World() != 1024 {
				t.Fatalf("%s %s → %s: %s: %v", k.Name, m.From, m.To, m.Layout, v)
			}
			for _, other := range knobs.Of(p, &l) {
				texts, was := other.Values(p, &l)
				again, now := other.Values(p, &m.Layout)
				free := other.Name == k.Name
				for _, name := range follows[k.Name] {
					free = free || name == other.Name
				}
				if !free && now >= 0 && again[now] != texts[was] {
					t.Fatalf("%s %s → %s moved %s from %s to %s", k.Name, m.From, m.To, other.Name, texts[was], again[now])
				}
			}
			l = m.Layout
		}
	})
}
