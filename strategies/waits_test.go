package strategies_test

import (
	"testing"

	"planner/internal/ask"
	"planner/strategies"
)

// TestRetriesCloseToCapacity: nanotron's 8 B model on two stages and 8 H100s
// without recomputation takes all of them (presets/runs: 71.5 GiB measured) and
// 3.4 times as long as on four stages, where it takes 63.
func TestRetriesCloseToCapacity(t *testing.T) {
	for _, x := range []struct {
		framework, layout string
		retries           bool
	}{
		{"nanotron", "pp=2,zero=1", true},
		{"nanotron", "tp=8,zero=1", false},
		{"megatron", "pp=2,zero=1", false},
	} {
		a, err := ask.Ask(question("llama3.1-8b", "h100-sxm-80gb", x.framework, 8, 256, 4096))
		if err != nil {
			t.Fatal(err)
		}
		l, f, err := a.Layout(x.layout)
		if err != nil {
			t.Fatal(err)
		}
		e := a.Problem.Estimate(l, f)
		if got := e.Retries > 0; got != x.retries {
			t.Errorf("%s %s: retries take %v of %v, memory %v", x.framework, x.layout, e.Retries, e.Step, e.Memory.Total())
		}
		if e.Retries > e.Overhead {
			t.Errorf("%s %s: retries %v are not part of the overhead %v", x.framework, x.layout, e.Retries, e.Overhead)
		}
	}
}

// TestExchangeWait: none on 256 GPUs, the whole on 512 and on more.
func TestExchangeWait(t *testing.T) {
	fit := &strategies.ProfileFit{SlotWide: 0.5}
	for gpus, want := range map[int]float64{64: 0, 256: 0, 362: 0.25, 512: 0.5, 4096: 0.5} {
		a, err := ask.Ask(question("llama3.1-8b", "h100-sxm-80gb", "nanotron", gpus, 4*gpus, 4096))
		if err != nil {
			t.Fatal(err)
		}
		if got := float64(a.Problem.ExchangeWait(fit)); got < want-0.001 || got > want+0.001 {
			t.Errorf("%d GPUs: %.4f s a neighbour, want %.3f", gpus, got, want)
		}
	}
}
