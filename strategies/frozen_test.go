package strategies_test

import (
	"math"
	"testing"

	"planner/internal/ask"
	"planner/strategies"
)

func estimateOf(t *testing.T, q ask.Question, layout string) (*ask.Answer, strategies.Estimate) {
	t.Helper()
	a, err := ask.Ask(q)
	if err != nil {
		t.Fatal(err)
	}
	l, f, err := a.Layout(layout)
	if err != nil {
		t.Fatal(err)
	}
	return a, a.Problem.Estimate(l, f)
}

// Llama 3.1 8B has 8,030,261,248 parameters (its model card): frozen they take 2
// bytes each, over 16 ranks or whole.
func TestFrozenParametersAreHeld(t *testing.T) {
	for _, x := range []struct {
		framework, layout string
		gib               float64
	}{
		{"fsdp", "dp=16,recompute=full,zero=3", 14.96 / 16},
		{"fsdp", "dp=16,recompute=full,zero=0", 14.96},
		{"torchtitan", "dp=16,recompute=full,zero=3", 14.96 / 16},
		{"megatron", "dp=16,recompute=full,zero=1", 14.96},
	} {
		q := question("llama3.1-8b", "h100-sxm-80gb", x.framework, 16, 64, 4096)
		q.Trainable = 1e-6
		_, e := estimateOf(t, q, x.layout)
		if got := (e.Memory.Weights + e.Memory.Master).GiB(); math.Abs(got-x.gib) > 0.02*x.gib {
			t.Errorf("%s %s: %.2f GiB of weights, want %.2f", x.framework, x.layout, got, x.gib)
		}
	}
}

// Of Llama 3.2 3B (14 layers of two norms of 3072 on the first stage, 128,256 rows)
// a quarter is trained: gradients that are summed once a step, and the optimizer
// state of a checkpoint, 12 bytes a parameter, are a quarter of the whole.
func TestFrozenParametersAreNotSummed(t *testing.T) {
	q := question("llama3.2-3b", "h100-sxm-80gb", "megatron", 16, 64, 4096)
	q.Trainable = 0.25
	a, e := estimateOf(t, q, "tp=2,pp=2,dp=4,zero=1")
	held := float64(e.Memory.Weights) / 2
	want := map[string]float64{
		"tied embedding gradients":    128256 / 2 * 3072 * 4 / 4,
		"replicated-weight gradients": 14 * 2 * 3072 * 4 / 4,
		"optimizer state to one rank": held * 12 / 4,
	}
	l, f, err := a.Layout("tp=2,pp=2,dp=4,zero=1")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range a.Problem.Explain(l, f).Calls {
		if w, ok := want[c.Purpose]; ok && c.Stage == 0 {
			if delete(want, c.Purpose); math.Abs(float64(c.Bytes)-w) > 1e-9*w {
				t.Errorf("%s: %.0f bytes, want %.0f", c.Purpose, float64(c.Bytes), w)
			}
		}
	}
	if len(want) > 0 {
		t.Errorf("not issued: %v", want)
	}
}

// A forward pass holds its weights, whoever keeps the master copy.
func TestForwardHoldsWeights(t *testing.T) {
	q := question("llama3.1-8b", "h100-sxm-80gb", "fsdp", 8, 8, 4096)
	q.Pass = "forward"
	_, e := estimateOf(t, q, "dp=8,zero=0")
	if got := e.Memory.Weights.GiB(); math.Abs(got-14.96) > 0.3 {
		t.Errorf("%.2f GiB of weights, want 14.96", got)
	}
}

// Of the three products of a linear layer frozen weights drop one: two thirds of
// the operations of the products are left, and less time, but more than half.
func TestFrozenWeightsHaveNoGradientProduct(t *testing.T) {
	q := question("llama3.1-8b", "h100-sxm-80gb", "megatron", 8, 64, 4096)
	whole, all := estimateOf(t, q, "dp=8,zero=1")
	q.Trainable = 1e-6
	frozen, few := estimateOf(t, q, "dp=8,zero=1")
	if r := float64(few.Compute / all.Compute); r < 0.6 || r > 0.8 {
		t.Errorf("frozen compute takes %.2f of the whole", r)
	}
	total, attention := whole.Problem.FLOPsPerToken()
	left, _ := frozen.Problem.FLOPsPerToken()
	if want := float64(attention + (total - attention).Times(2./3)); math.Abs(float64(left)-want) > 1e-5*want {
		t.Errorf("%g FLOPs a token, want %g", float64(left), want)
	}
}
