package strategies_test

import (
	"testing"

	"planner/internal/ask"
	"planner/strategies"
)

// What a search ranks, explain takes, under the same spelling.
func TestSearchRanksWhatExplainTakes(t *testing.T) {
	for _, x := range []struct {
		model string
		gpus  int
		seq   int
		space strategies.Space
	}{
		{"gemma2-9b", 512, 2048, strategies.Space{TP: []int{8, 16}, CP: []int{1, 2, 4}, CPKinds: []strategies.CPKind{strategies.CPA2A, strategies.CPP2P}}},
		{"llama3.1-8b", 8, 8192, strategies.Space{Dispatchers: []strategies.Dispatcher{strategies.DispatchFlex}}},
		{"llama3.1-8b", 8, 8192, strategies.Space{Recompute: []strategies.Recompute{strategies.RecomputeFull}, FullLayers: 32}},
	} {
		a, err := ask.Ask(question(x.model, "h100-sxm-80gb", "any", x.gpus, 512, x.seq))
		if err != nil {
			t.Fatal(err)
		}
		r := strategies.Search(t.Context(), a.Problem, x.space, strategies.Options{Top: 50})
		if len(r.Ranking) == 0 {
			t.Fatalf("%s: nothing ranked", x.model)
		}
		for i := range r.Ranking {
			text := r.Ranking[i].Layout.String()
			if l, _, err := a.Layout(text); err != nil || l.String() != text {
				t.Errorf("%s: explain takes %s as %v, %v", x.model, text, l, err)
			}
		}
	}
}

func TestSearchRefusesWhatIsNotThere(t *testing.T) {
	a, err := ask.Ask(question("llama3.1-8b", "h100-sxm-80gb", "any", 8, 512, 8192))
	if err != nil {
		t.Fatal(err)
	}
	for rule, space := range map[strategies.Rule]strategies.Space{
		strategies.RuleExperts: {ETP: []int{2}},
		strategies.RuleLayers:  {Recompute: []strategies.Recompute{strategies.RecomputeFull}, FullLayers: 33},
	} {
		if r := strategies.Search(t.Context(), a.Problem, space, strategies.Options{Top: 1}); len(r.Ranking) > 0 || r.Rejected[rule] == 0 {
			t.Errorf("%s: %d ranked, refused %v", rule, len(r.Ranking), r.Rejected)
		}
	}
}

// A forward pass has no more overhead than a step of training.
func TestForwardPassLaunchesOnce(t *testing.T) {
	for _, x := range [][2]string{{"mixtral-8x7b", "tp=2,ep=8,zero=1"}, {"qwen3-30b-a3b", "ep=8,zero=1"}, {"llama3.1-8b", "tp=2,zero=1"}} {
		q := question(x[0], "h100-sxm-80gb", "megatron", 64, 512, 4096)
		_, train := estimateOf(t, q, x[1])
		q.Pass = "forward"
		_, forward := estimateOf(t, q, x[1])
		if forward.Overhead > train.Overhead {
			t.Errorf("%s %s: overhead %v forward, %v in training", x[0], x[1], forward.Overhead, train.Overhead)
		}
	}
}
