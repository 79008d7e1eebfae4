package strategies_test

import (
	"math/rand/v2"
	"sync"
	"testing"

	"planner/internal/ask"
	"planner/strategies"
)

// subject is one problem of the property tests.
type subject struct {
	model, hardware, framework string
	gpus, seq, batch           int
}

// subjects cover dense models (MHA, GQA, tied, windows), experts and latent
// attention, under every framework.
var subjects = []subject{
	{"llama3.1-70b", "h100-sxm-80gb", "megatron", 128, 8192, 128},
	{"llama3.1-8b", "h100-sxm-80gb", "torchtitan", 64, 8192, 64},
	{"llama2-7b", "a100-sxm-80gb", "fsdp", 32, 4096, 128},
	{"llama2-13b", "a100-sxm-80gb", "megatron-deepspeed", 64, 4096, 256},
	{"gpt3-175b", "a100-sxm-80gb", "megatron", 384, 2048, 192},
	{"qwen2.5-1.5b", "a100-sxm-40gb", "megatron", 16, 4096, 64},
	{"qwen2.5-7b", "h100-sxm-80gb", "deepspeed", 32, 4096, 64},
	{"gemma2-9b", "h200-sxm", "nanotron", 32, 4096, 64},
	{"mixtral-8x7b", "h100-sxm-80gb", "megatron", 64, 4096, 128},
	{"qwen3-30b-a3b", "h100-sxm-80gb", "torchtitan", 64, 4096, 128},
	{"deepseek-v3", "gb200", "megatron", 256, 4096, 256},
}

var answers = sync.OnceValues(func() ([]*ask.Answer, error) {
	var out []*ask.Answer
	for _, s := range subjects {
		a, err := ask.Ask(ask.Question{Model: s.model, Hardware: s.hardware, Framework: s.framework, GPUs: s.gpus,
			SeqLen: s.seq, GlobalBatch: s.batch})
		if err != nil {
			return nil, err
		}
		out = append(out, a)
	}
	return out, nil
})

func problems(t testing.TB) []*strategies.Problem {
	t.Helper()
	all, err := answers()
	if err != nil {
		t.Fatal(err)
	}
	var out []*strategies.Problem
	for _, a := range all {
		out = append(out, a.Problem)
	}
	return out
}

// drawn is a legal layout of a problem.
type drawn struct {
	p *strategies.Problem
	f *strategies.Profile
	l strategies.Layout
}

// draw returns a random legal layout of p.
func draw(r *rand.Rand, p *strategies.Problem) drawn {
	f := p.Profiles[0]
	for {
		l, v := randomLayout(r, p).Complete(p.Cluster.GPUs)
		if v == nil && p.Check(&l, f) == nil {
			return drawn{p, f, l}
		}
	}
}

func pick[T any](r *rand.Rand, from ...T) T { return from[r.IntN(len(from))] }

// divisor returns a random divisor of n.
func divisor(r *rand.Rand, n int) int {
	for {
		if d := 1 + r.IntN(n); n%d == 0 {
			return d
		}
	}
}

// randomLayout draws every key; many draws are illegal.
func randomLayout(r *rand.Rand, p *strategies.Problem) strategies.Layout {
	left := p.Cluster.GPUs
	take := func(most int) int {
		for {
			if d := divisor(r, left); d <= most {
				left /= d
				return d
			}
		}
	}
	l := strategies.Layout{TP: 1, PP: 1, VPP: 1, CP: 1, EP: 1}
	for _, d := range []struct {
		n    *int
		most int
		odds int
	}{{&l.PP, 64, 4}, {&l.TP, 64, 3}, {&l.CP, 16, 2}} {
		if r.IntN(5) < d.odds {
			*d.n = take(d.most)
		}
	}
	l.DP = left
	if l.PP > 1 {
		l.VPP = pick(r, 1, 1, 1+r.IntN(8))
		l.Schedule = pick(r, strategies.OneFOneB, strategies.OneFOneB, strategies.GPipe, strategies.ZBH1)
		if r.IntN(6) == 0 {
			l.First, l.Last = r.IntN(8), r.IntN(8)
		}
	}
	if l.VPP > 1 {
		l.Schedule = strategies.Interleaved
	}
	if r.IntN(2) == 0 {
		l.EP, l.ETP = divisor(r, 64), pick(r, 1, l.TP)
	}
	l.Zero = r.IntN(4)
	if l.Zero > 0 && r.IntN(3) == 0 {
		l.Shard = divisor(r, l.DP*l.CP)
	}
	l.MBS = pick(r, 1, 1, 2, 4)
	l.SP = l.TP > 1 && r.IntN(4) > 0
	randomOptions(r, p, &l)
	return l
}

func randomOptions(r *rand.Rand, p *strategies.Problem, l *strategies.Layout) {
	l.Recompute = pick(r, strategies.RecomputeNone, strategies.RecomputeSelective, strategies.RecomputeFull)
	if l.Recompute == strategies.RecomputeFull && r.IntN(2) == 0 {
		l.FullLayers = 1 + r.IntN(max(1, p.Model.Layers()/l.PP))
	}
	if l.CP > 1 {
		l.CPKind = pick(r, strategies.CPP2P, strategies.CPAllGather, strategies.CPA2A)
	}
	if l.EP > 1 {
		l.Dispatcher = pick(r, strategies.DispatchAllToAll, strategies.DispatchAllGather, strategies.DispatchFlex)
	}
	if l.Zero == 3 && r.IntN(6) == 0 {
		l.HPZ = divisor(r, max(1, l.DP*l.CP))
	}
	if l.Zero > 0 && r.IntN(8) == 0 {
		l.Offload = pick(r, strategies.OffloadOptimizer, strategies.OffloadAll)
	}
}
