package scan_test

import (
	"context"
	"testing"

	"planner/internal/ask"
	"planner/internal/tui/scan"
	"planner/strategies"
)

func job(t testing.TB, gpus int) scan.Job {
	a, err := ask.Ask(ask.Question{Model: "llama3.1-8b", GPUs: gpus})
	if err != nil {
		t.Fatal(err)
	}
	return scan.Job{Problem: a.Problem, Keep: 100}
}

// The parts of a scan add up to the search.
func TestSameAsSearch(t *testing.T) {
	j := job(t, 64)
	var last scan.Found
	parts := 0
	j.Run(context.Background(), func(f scan.Found) { last, parts = f, parts+1 })
	want := strategies.Search(context.Background(), j.Problem, strategies.Space{}, strategies.Options{Top: 100})
	if last.Legal != want.Legal || last.Fitting != want.Fitting || parts < 2 {
		t.Errorf("%d legal, %d fitting in %d parts, want %d and %d", last.Legal, last.Fitting, parts, want.Legal, want.Fitting)
	}
	for i := range want.Ranking {
		if last.Ranking[i].Step != want.Ranking[i].Step {
			t.Fatalf("rank %d: %s, want %s", i+1, last.Ranking[i].Layout, want.Ranking[i].Layout)
		}
	}
	if len(last.Front) != len(want.Front) {
		t.Errorf("front of %d, want %d", len(last.Front), len(want.Front))
	}
}

func TestUnfitExceedsTheMemory(t *testing.T) {
	j := job(t, 8)
	j.Unfit = true
	var last scan.Found
	j.Run(context.Background(), func(f scan.Found) { last = f })
	if len(last.Unfit) == 0 {
		t.Fatal("every layout of 8 billion parameters on 8 GPUs fits")
	}
	for _, e := range last.Unfit {
		if e.Fits || e.Memory.Total() <= j.Problem.Capacity() {
			t.Errorf("%s fits in %.1f GiB", e.Layout, e.Memory.Total().GiB())
		}
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	n := 0
	job(t, 64).Run(ctx, func(scan.Found) { n++; cancel() })
	if n != 1 {
		t.Errorf("%d parts were told after the cancel", n-1)
	}
}
