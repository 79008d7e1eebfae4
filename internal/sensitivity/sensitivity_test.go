package sensitivity

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"planner/internal/ask"
	"planner/internal/show"
	"planner/strategies"
)

// request examines a layout in a space small enough to search often.
func request(t testing.TB, q ask.Question, layout string) *Request {
	t.Helper()
	a, err := ask.Ask(q)
	if err != nil {
		t.Fatal(err)
	}
	r := &Request{Answer: a, Space: strategies.Space{CP: []int{1}, Zero: []int{0, 1}, MBS: []int{1, 2}}}
	if layout != "" {
		if r.Layout, r.Framework, err = a.Layout(layout); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

func run(t testing.TB, q ask.Question, layout string) *Result {
	t.Helper()
	out, err := Run(context.Background(), request(t, q, layout))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Faster hardware never slows a step, slower hardware never speeds it up.
func TestFiguresAreMonotone(t *testing.T) {
	for _, layout := range []string{"tp=2,pp=2,zero=1", "tp=8,zero=1", "zero=1,mbs=2"} {
		r := run(t, ask.Question{Model: "8b", GPUs: 64, Framework: "megatron"}, layout)
		for _, f := range r.Figures {
			if f.Name == "latency of calls" {
				f.Up, f.Down = f.Down, f.Up // more latency is less of a machine
			}
			if f.Up > 1e-12 || f.Down < -1e-12 {
				t.Errorf("%s, %s: %+g at more of it, %+g at less", layout, f.Name, f.Up, f.Down)
			}
		}
	}
}

// Nothing in a step scales faster than all of its hardware: ±10 % of one
// figure moves it by less than 1/0.9 − 1.
func TestFiguresAreBounded(t *testing.T) {
	r := run(t, ask.Question{Model: "8b", GPUs: 64, Framework: "megatron"}, "tp=2,zero=1")
	for _, f := range r.Figures {
		for _, d := range []float64{f.Up, f.Down} {
			if d < -0.10 || d > 1/0.9-1+1e-9 {
				t.Errorf("%s moves the step by %+.3f", f.Name, d)
			}
		}
	}
}

// Every knob ends on a legal layout, or says why not.
func TestKnobs(t *testing.T) {
	r := run(t, ask.Question{Model: "70b", GPUs: 256, Framework: "megatron"}, "tp=8,pp=4,vpp=2,zero=1")
	seen := map[string]bool{}
	for _, k := range r.Knobs {
		seen[k.Name] = true
		if (k.Estimate == nil) == (k.Reason == "") && k.Estimate == nil {
			t.Errorf("%s: no estimate and no reason", k.Name)
		}
		if k.Estimate != nil {
			if v := r.Answer.Problem.Check(&k.Estimate.Layout, k.Estimate.Framework); v != nil {
				t.Errorf("%s from %s to %s: %v", k.Name, k.From, k.To, v)
			}
			if k.Estimate.Layout == r.Base.Layout {
				t.Errorf("%s: nothing changed", k.Name)
			}
		}
	}
	for _, name := range []string{"TP", "PP", "VPP", "CP", "ZeRO", "MBS", "recompute"} {
		if !seen[name] {
			t.Errorf("%s was not turned", name)
		}
	}
	if seen["EP"] {
		t.Error("EP was turned on a dense model")
	}
}

func TestExperts(t *testing.T) {
	r := run(t, ask.Question{Model: "mixtral-8x7b", GPUs: 64, Framework: "megatron"}, "tp=2,ep=4,zero=1")
	for _, k := range r.Knobs {
		if k.Name == "EP" {
			return
		}
	}
	t.Error("EP was not turned on a model with experts")
}

func TestBestWhenNoneGiven(t *testing.T) {
	r := run(t, ask.Question{Model: "8b", GPUs: 64}, "")
	if r.First == nil || r.Base.Layout != r.First.Layout {
		t.Errorf("base %v, first %v", r.Base.Layout, r.First)
	}
	// Memory that falls under the need of the choice is a threshold.
	if len(r.Thresholds) == 0 || r.Thresholds[0].Figure != "usable memory" {
		t.Errorf("thresholds %+v", r.Thresholds)
	}
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	r := request(t, ask.Question{Model: "8b", GPUs: 64}, "")
	r.Progress = func(done, _ int) {
		if done == 1 {
			cancel()
		}
	}
	if _, err := Run(ctx, r); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestShow(t *testing.T) {
	r := run(t, ask.Question{Model: "8b", GPUs: 64, Framework: "megatron"}, "tp=2,zero=1")
	for _, format := range []string{"table", "csv", "markdown"} {
		var b bytes.Buffer
		Show(&b, format, r)
		if !strings.Contains(b.String(), "peak compute") {
			t.Errorf("%s: %s", format, b.String())
		}
	}
	var b bytes.Buffer
	if err := show.JSON(&b, NewDocument(r)); err != nil {
		t.Fatal(err)
	}
	var d Document
	if err := json.Unmarshal(b.Bytes(), &d); err != nil || d.SchemaVersion != 1 || len(d.Hardware) == 0 {
		t.Errorf("%v, %+v", err, d)
	}
	if b := &d.Layout; b.Low >= b.Step || b.High <= b.Step {
		t.Errorf("band %g … %g of a step of %g s", b.Low, b.High, b.Step)
	}
	for _, k := range d.Knobs {
		if l := k.Layout; l != nil && (l.Low >= l.Step || l.High <= l.Step) {
			t.Errorf("%s: band %g … %g of a step of %g s", k.Knob, l.Low, l.High, l.Step)
		}
	}
}

func TestArrow(t *testing.T) {
	for d, want := range map[float64]string{0: "           │", 0.06: "        ◄██│", -0.06: "           │██►", 9: "◄██████████│", -9: "           │██████████►"} {
		if got := arrow(d); got != want {
			t.Errorf("arrow(%g) = %q, want %q", d, got, want)
		}
	}
}
