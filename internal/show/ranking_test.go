package show

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"slices"
	"strings"
	"testing"

	"planner/hardware/unit"
	"planner/internal/ask"
	"planner/internal/validate"
	"planner/strategies"
)

// answer asks a question with defaults and fails the test where it is refused.
func answer(t testing.TB, q ask.Question) *ask.Answer {
	t.Helper()
	a, err := ask.Ask(q)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// explained predicts one layout.
func explained(t testing.TB, q ask.Question, layout string) (*ask.Answer, *strategies.Explanation) {
	t.Helper()
	a := answer(t, q)
	l, f, err := a.Layout(layout)
	if err != nil {
		t.Fatal(err)
	}
	return a, a.Explain(l, f)
}

func TestBand(t *testing.T) {
	for _, c := range []struct {
		low, high unit.Seconds
		want      string
	}{
		{5.73, 10.56, "5.73…10.56"}, {46.73, 52.26, "46.7…52.3"}, {412, 1033.4, "412…1033"}, {0.1234, 0.2, "0.123…0.200"}, {0, 0, "0.000…0.000"},
	} {
		if got := Band(c.low, c.high); got != c.want {
			t.Errorf("Band(%g, %g) = %s, want %s", c.low, c.high, got, c.want)
		}
	}
}

// A skewed band is shown by its ends, for people and for other tools.
func TestRankingBand(t *testing.T) {
	a := answer(t, ask.Question{Model: "8b", GPUs: 64})
	e := strategies.Estimate{Layout: strategies.Layout{TP: 1, PP: 1, VPP: 1, CP: 1, EP: 1, ETP: 1, DP: 64, MBS: 1}, Framework: a.Problem.Profiles[0],
		Step: 6.68, Low: 5.73, High: 10.56}
	var b bytes.Buffer
	Ranking(&b, "table", a.Problem, []strategies.Estimate{e})
	if !strings.Contains(b.String(), "5.73…10.56") {
		t.Errorf("no band 5.73…10.56 in\n%s", b.String())
	}
	b.Reset()
	Ranking(&b, "csv", a.Problem, []strategies.Estimate{e})
	rows, err := csv.NewReader(&b).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for i, title := range rows[0] {
		if want := map[string]string{"low s": "5.73", "high s": "10.56", "marginal": "false"}[title]; want != "" && rows[1][i] != want {
			t.Errorf("column %s: %s, want %s", title, rows[1][i], want)
		}
	}
}

// Rows within 5 % of capacity are starred and counted, others are not.
func TestMarginalRows(t *testing.T) {
	a := answer(t, ask.Question{Model: "8b", GPUs: 64})
	capacity := a.Problem.Capacity()
	var list []strategies.Estimate
	for _, share := range []float64{0.90, 0.96, 0.99} {
		list = append(list, strategies.Estimate{Layout: strategies.Layout{TP: 1, PP: 1, VPP: 1, CP: 1, EP: 1, ETP: 1, DP: 64, MBS: 1},
			Framework: a.Problem.Profiles[0], Step: 1, Memory: strategies.Memory{Weights: capacity.Times(share)}})
	}
	var b bytes.Buffer
	Ranking(&b, "table", a.Problem, list)
	for text, want := range map[string]bool{"90 ": true, "90*": false, "96*": true, "99*": true} {
		if strings.Contains(b.String(), text) != want {
			t.Errorf("%q in the table: %v, want %v\n%s", text, !want, want, b.String())
		}
	}
	if note := marginalNote(a.Problem, list); !strings.HasPrefix(note, "the 2 rows marked * may not fit") || !strings.HasSuffix(note, "--max-memory 75GiB leaves room") {
		t.Errorf("note %q", note)
	}
	if note := marginalNote(a.Problem, list[:1]); note != "" {
		t.Errorf("note %q of a row at 90 %%", note)
	}
}

// What explain and suggest say of the verdict near capacity is what the
// published runs show that have both outcomes there, and what docs/MEMORY.md
// says.
func TestNearnessIsMeasured(t *testing.T) {
	runs, err := validate.BundledRuns()
	if err != nil {
		t.Fatal(err)
	}
	var right, all [2]int
	for _, r := range validate.Runs(runs).Rows {
		if r.Source != "hagemann2023" || r.Outcome != "ok" && r.Outcome != "oom" {
			continue
		}
		k := 0
		if r.Marginal {
			k = 1
		}
		all[k]++
		if r.Fits == (r.Outcome == "ok") {
			right[k]++
		}
	}
	percent := func(k int) string { return fmt.Sprintf("%.0f %%", 100*float64(right[k])/float64(all[k])) }
	for _, want := range []string{percent(1), percent(0), fmt.Sprintf("of %d published", all[1])} {
		if !strings.Contains(nearness(), want) {
			t.Errorf("%q lacks %q: right on %v of %v away from and near capacity", nearness(), want, right, all)
		}
	}
}

// The layout with memory to spare is the fastest of those that are not
// marginal, and wanted only where the first row is.
func TestSpare(t *testing.T) {
	a := answer(t, ask.Question{Model: "8b", GPUs: 64})
	at := func(step unit.Seconds, share float64) strategies.Estimate {
		return strategies.Estimate{Layout: strategies.Layout{TP: int(step)}, Step: step, Memory: strategies.Memory{Weights: a.Problem.Capacity().Times(share)}}
	}
	for _, c := range []struct {
		front []strategies.Estimate
		want  unit.Seconds // 0: none
	}{
		{[]strategies.Estimate{at(1, 0.99), at(2, 0.96), at(3, 0.90), at(4, 0.50)}, 3},
		{[]strategies.Estimate{at(1, 0.90), at(2, 0.50)}, 0},
		{[]strategies.Estimate{at(1, 0.99), at(2, 0.96)}, 0},
		{nil, 0},
	} {
		got := unit.Seconds(0)
		if e := Spare(a.Problem, &strategies.Result{Ranking: c.front, Front: c.front}); e != nil {
			got = e.Step
		}
		if got != c.want {
			t.Errorf("step %v has memory to spare, want %v", got, c.want)
		}
	}
}

// The front has the fastest layout within any memory that the whole ranking has.
func TestFastestWithin(t *testing.T) {
	a := answer(t, ask.Question{Model: "8b", GPUs: 16})
	space, err := (&ask.Constraints{}).Space()
	if err != nil {
		t.Fatal(err)
	}
	r := a.Search(context.Background(), space, strategies.Options{KeepAll: true})
	for _, share := range []float64{0.4, 0.6, 0.8, 0.95} {
		limit := a.Problem.Capacity().Times(share)
		i := slices.IndexFunc(r.Ranking, func(e strategies.Estimate) bool { return e.Memory.Total() <= limit })
		if got := r.FastestWithin(limit); i < 0 != (got == nil) || got != nil && got.Step != r.Ranking[i].Step {
			t.Errorf("within %.2f: %v, want %v", share, got, r.Ranking[i].Layout)
		}
	}
}

func TestTieText(t *testing.T) {
	for _, c := range []struct {
		ties, rows int
		want       string
	}{{3, 3, "the 3 rows marked a differ"}, {96, 10, "96 layouts, of which 10 are shown, differ"}, {CountedTies, 10, "at least 1,000 layouts, of which 10 are shown, differ"}} {
		if got := tieText(c.ties, c.rows); !strings.HasPrefix(got, c.want) {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
