package ask_test

import (
	"strconv"
	"strings"
	"testing"

	"planner/internal/ask"
	"planner/strategies"
)

// again makes a change of a Nearest as a user would: the flags that it names
// typed besides those of the question.
func again(t *testing.T, q ask.Question, c ask.Constraints, change string) (ask.Question, ask.Constraints) {
	t.Helper()
	limits := map[string]*string{"--tp": &c.TP, "--pp": &c.PP, "--zero": &c.Zero, "--mbs": &c.MBS, "--recompute": &c.Recompute,
		"--offload": &c.Offload, "--max-memory": &c.MaxMemory}
	numbers := map[string]*int{"--gpus": &q.GPUs, "--seq-len": &q.SeqLen, "--global-batch": &q.GlobalBatch}
	if lifted, ok := strings.CutPrefix(change, "without "); ok {
		for _, flag := range strings.Fields(lifted) {
			*limits[flag] = ""
		}
		return q, c
	}
	words := strings.Fields(change)
	for i := 0; i+1 < len(words); i += 2 {
		switch flag, value := words[i], words[i+1]; {
		case numbers[flag] != nil:
			*numbers[flag], _ = strconv.Atoi(value)
		case flag == "--hardware":
			q.Hardware = value
		default:
			*limits[flag] = value
		}
	}
	return q, c
}

// TestRemediesHold makes every change that is said to mend a question and asks
// again: something must fit, at the memory and the step that were promised.
func TestRemediesHold(t *testing.T) {
	for _, tt := range []struct {
		q ask.Question
		c ask.Constraints
	}{
		{ask.Question{Model: "llama3.1-70b", GPUs: 16}, ask.Constraints{Recompute: "none", Zero: "0", MBS: "1", TP: "1", PP: "1"}},
		{ask.Question{Model: "llama3.1-70b", GPUs: 32}, ask.Constraints{Zero: "1", TP: "2", PP: "1"}},
		{ask.Question{Model: "llama3.1-70b", GPUs: 8, GlobalBatch: 8}, ask.Constraints{Offload: "none"}},
		{ask.Question{Model: "llama3.1-70b", GPUs: 16}, ask.Constraints{MaxMemory: "20GiB"}},
		{ask.Question{Model: "llama3.1-8b", GPUs: 1, SeqLen: 131072}, ask.Constraints{}},
		{ask.Question{Model: "llama3.1-8b", GPUs: 8, SeqLen: 131072}, ask.Constraints{Recompute: "none", TP: "8"}},
	} {
		n := nearest(t, tt.q, tt.c)
		for _, k := range n.Knobs {
			if strings.HasPrefix(k.Change, "bf16 gradients") {
				continue // no flag of ours
			}
			q, c := again(t, tt.q, tt.c, k.Change)
			_, r := search(t, q, c)
			if len(r.Ranking) == 0 {
				t.Errorf("%+v: %q fits nothing", tt.c, k.Change)
				continue
			}
			if e := &r.Ranking[0]; e.Step != k.Step || e.Memory.Total() != k.Memory {
				t.Errorf("%+v: %q promised %v in %v, makes %v in %v", tt.c, k.Change, k.Memory, k.Step, e.Memory.Total(), e.Step)
			}
		}
		for i := 1; i < len(n.Knobs); i++ {
			if n.Knobs[i].Step < n.Knobs[i-1].Step {
				t.Errorf("%+v: %q stands before a faster change", tt.c, n.Knobs[i-1].Change)
			}
		}
		for _, k := range n.Short {
			if k.Fits || k.Memory <= k.Usable {
				t.Errorf("%+v: %q is called not enough and fits", tt.c, k.Change)
			}
		}
	}
}

func search(t *testing.T, q ask.Question, c ask.Constraints) (*ask.Answer, *strategies.Result) {
	t.Helper()
	a, err := ask.Ask(q)
	if err != nil {
		t.Fatal(err)
	}
	s, err := c.Space()
	if err != nil {
		t.Fatal(err)
	}
	return a, a.Search(t.Context(), s, strategies.Options{Top: 1})
}

func nearest(t *testing.T, q ask.Question, c ask.Constraints) *ask.Nearest {
	t.Helper()
	n := ask.NearestOf(search(t, q, c))
	if n == nil {
		t.Fatalf("%+v under %+v: something fits", q, c)
	}
	return n
}

// TestReplicatedStateStaysReplicated holds that GPUs are no remedy where every
// one of them keeps the whole state: 70.6 B parameters × (2 + 4 + 4 + 8) bytes
// are 1183 GiB, on 16 GPUs as on 1024.
func TestReplicatedStateStaysReplicated(t *testing.T) {
	n := nearest(t, ask.Question{Model: "llama3.1-70b", GPUs: 16}, ask.Constraints{Recompute: "none", Zero: "0", MBS: "1", TP: "1", PP: "1"})
	lifts := 0
	for _, k := range n.Knobs {
		if strings.HasPrefix(k.Change, "--gpus") || strings.HasPrefix(k.Change, "--hardware") {
			t.Errorf("%q is said to mend it: %+v", k.Change, k)
		}
		if strings.HasPrefix(k.Change, "without ") {
			lifts++
		}
	}
	if lifts != 1 {
		t.Errorf("%d changes lift constraints, want 1: %+v", lifts, n.Knobs)
	}
}

// TestLimitOfMemory holds that what is missing is counted from --max-memory.
func TestLimitOfMemory(t *testing.T) {
	n := nearest(t, ask.Question{Model: "llama3.1-70b", GPUs: 16}, ask.Constraints{MaxMemory: "20GiB"})
	if want := n.Estimate.Memory.Total() - 20<<30; n.Usable != 20<<30 || n.Missing != want {
		t.Errorf("usable %v, missing %v, want 20 GiB and %v", n.Usable, n.Missing, want)
	}
}

// TestShorterSequenceNamesTheBatch holds that the batch that keeps the tokens
// of a step is part of the change.
func TestShorterSequenceNamesTheBatch(t *testing.T) {
	n := nearest(t, ask.Question{Model: "llama3.1-70b", GPUs: 8, GlobalBatch: 8}, ask.Constraints{})
	for _, k := range append(n.Knobs, n.Short...) {
		if strings.HasPrefix(k.Change, "--seq-len") && k.Change != "--seq-len 4096 --global-batch 16" && k.Change != "--seq-len 2048 --global-batch 32" {
			t.Errorf("change %q does not keep 8 × 8192 tokens a step", k.Change)
		}
	}
}

// A forward pass has neither gradients nor an optimizer to do without; offload
// moves its parameters, and in training the optimizer's state as well.
func TestRemediesOfAPass(t *testing.T) {
	for _, c := range []struct {
		q         ask.Question
		limit     ask.Constraints
		offload   string // the start of what it costs
		gradients bool
	}{
		{ask.Question{Model: "70b", GPUs: 8, Pass: "forward"}, ask.Constraints{MaxMemory: "12GiB"}, "parameters in host memory", false},
		{ask.Question{Model: "70b", GPUs: 8}, ask.Constraints{MaxMemory: "12GiB"}, "optimizer state and parameters in host memory", false},
		{ask.Question{Model: "70b", GPUs: 8, Framework: "megatron"}, ask.Constraints{MaxMemory: "12GiB"}, "optimizer state in host memory", true},
		{ask.Question{Model: "8b", GPUs: 8}, ask.Constraints{Offload: "optimizer+param", MaxMemory: "2GiB"}, "optimizer state in host memory", false},
	} {
		n := nearest(t, c.q, c.limit)
		gradients := false
		for _, k := range append(n.Knobs, n.Short...) {
			gradients = gradients || strings.HasPrefix(k.Change, "bf16 gradients")
			if strings.HasPrefix(k.Change, "--offload") && !strings.HasPrefix(k.Cost, c.offload) {
				t.Errorf("%+v: %s costs %q, want %q", c.q, k.Change, k.Cost, c.offload)
			}
		}
		if gradients != c.gradients {
			t.Errorf("%+v: gradients in bf16 proposed: %v, want %v", c.q, gradients, c.gradients)
		}
	}
}
