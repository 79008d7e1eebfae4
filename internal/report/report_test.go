package report

import (
	"context"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"planner/internal/ask"
)

var date = time.Date(2026, 11, 29, 0, 0, 0, 0, time.UTC)

func make1(t *testing.T, q ask.Question, r Request) *Review {
	t.Helper()
	a, err := ask.Ask(q)
	if err != nil {
		t.Fatal(err)
	}
	r.Date, r.Version, r.Command = date, "test", "planner report --model "+q.Model
	got, err := Make(context.Background(), a, r)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// piped is a review of a pipeline on eight nodes.
var piped = sync.OnceValue(func() *Review {
	a, err := ask.Ask(ask.Question{Model: "70b", GPUs: 64, GlobalBatch: 128})
	if err != nil {
		panic(err)
	}
	r, err := Make(context.Background(), a, Request{Layout: "tp=4,pp=4,vpp=2,zero=1,recompute=full", Date: date, Version: "test", Command: "planner report", Tokens: 15e12, Price: 2.5})
	if err != nil {
		panic(err)
	}
	return r
})

// TestLosses: the losses and the MFU are the whole peak.
func TestLosses(t *testing.T) {
	r := piped()
	sum := r.Answer.Problem.Rates(&r.Pick.Estimate).MFU
	again := false
	for _, l := range r.Losses {
		sum += l.Points
		again = again || l.Name == "recomputation" && l.Points > 0.05
	}
	if math.Abs(sum-1) > 1e-3 {
		t.Errorf("MFU and losses sum to %v, want 1", sum)
	}
	if !again {
		t.Error("full recomputation is not among the losses")
	}
}

// TestCost: 15e12 tokens at 2.50 dollars by hand from the step.
func TestCost(t *testing.T) {
	r := piped()
	steps := 15e12 / (128 * 8192)
	want := steps * float64(r.Pick.Step) / 3600 * 64 * 2.5
	if math.Abs(r.Cost.Dollars/want-1) > 1e-9 {
		t.Errorf("dollars = %v, want %v", r.Cost.Dollars, want)
	}
}

// TestScaling: the point asked about is the pick, in order of GPUs.
func TestScaling(t *testing.T) {
	r := piped()
	last, here := 0, 0
	for _, q := range r.Scaling {
		if q.GPUs <= last {
			t.Errorf("%d GPUs after %d", q.GPUs, last)
		}
		if last = q.GPUs; q.Here {
			here++
			if q.Best.Layout != r.Pick.Layout {
				t.Errorf("at %d GPUs: %s, want the pick", q.GPUs, q.Best.Layout)
			}
		}
		if q.Best == nil && q.Why == "" {
			t.Errorf("%d GPUs: neither a layout nor a reason", q.GPUs)
		}
	}
	if here != 1 {
		t.Errorf("%d points are the one asked about, want 1", here)
	}
}

// TestBest: without a layout the fastest is recommended; ties say so.
func TestBest(t *testing.T) {
	r := make1(t, ask.Question{Model: "8b", GPUs: 8}, Request{})
	if r.Pick.Layout != r.Search.Ranking[0].Layout {
		t.Errorf("recommended %s, want the fastest, %s", r.Pick.Layout, r.Search.Ranking[0].Layout)
	}
	for _, a := range r.Alternatives {
		if a.Tie != strings.Contains(a.Why, "tie") {
			t.Errorf("%s: tie %v, but why is %q", a.Layout, a.Tie, a.Why)
		}
	}
}

// TestNothingFits: there is no report of nothing.
func TestNothingFits(t *testing.T) {
	a, err := ask.Ask(ask.Question{Model: "405b", GPUs: 8})
	if err != nil {
		t.Fatal(err)
	}
	if _, err = Make(context.Background(), a, Request{}); err == nil {
		t.Error("a report of a model that does not fit")
	}
}

// TestUserbuffers: memory that TP calls take beside products is stated.
func TestUserbuffers(t *testing.T) {
	r := piped()
	want := r.Answer.Problem.UserbufferBytes(r.Pick.Framework, &r.Pick.Layout).GiB()
	for _, x := range r.Assumptions {
		if x.What == "userbuffers" && strings.HasPrefix(x.Value, "1.25 GiB") && want == 1.25 {
			return
		}
	}
	t.Errorf("no assumption of %v GiB of userbuffers", want)
}
