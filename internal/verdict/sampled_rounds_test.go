package verdict

import (
	"context"
	"strings"
	"testing"

	"planner/verify/replay"
	"planner/verify/transport"
)

// hurried is ranks whose budget ends after three rounds, whatever is asked.
type hurried struct{ replay.Backend }

func (hurried) Place() replay.Place {
	return placeOf(&transport.Shape{Nodes: slowNodes, PerNode: slowPerNode})
}

func (hurried) Run(_ context.Context, w *replay.Work, _ func(round, of int)) (*replay.Result, error) {
	out := &replay.Result{Samples: make([]replay.Spread, len(w.Samples)), SampleRounds: 3}
	for i := range out.Samples {
		out.Samples[i] = replay.Spread{Median: 1e-3, Min: 1e-3, Max: 1e-3, N: 3}
	}
	return out, nil
}

// TestSampledRounds: a report has the rounds that were run, not those that were
// asked for, and so have the lines made of it.
func TestSampledRounds(t *testing.T) {
	run, err := Prepare(context.Background(), Question{Backend: hurried{}, Model: "70b", Hardware: "h100-sxm-80gb", GPUs: 1024, Framework: "any",
		Rounds: 5, Seed: 1, Layouts: []string{"tp=8,pp=2,dp=64,zero=1", "dp=1024,zero=3,shard=128,recompute=full"}})
	if err != nil {
		t.Fatal(err)
	}
	r, err := run.Measure(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	Render(&b, r)
	if r.Rounds != 3 || !strings.Contains(b.String(), " 3 interleaved rounds") {
		t.Errorf("%d rounds, want 3:\n%s", r.Rounds, b.String())
	}
	if file := string(encode(run.Profile, r, nil)); !strings.Contains(file, " 3 rounds\"]") {
		t.Errorf("the file's source says otherwise:\n%s", file)
	}
}
