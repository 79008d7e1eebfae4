package report

import (
	"bytes"
	"context"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"planner/internal/ask"
	"planner/internal/catalog"
	"planner/internal/show"
	"planner/internal/verdict"
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

func page1(t *testing.T, r *Review) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := HTML(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

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

// TestReadBack: what a page holds is what was asked and answered, and asking
// it again gives the same step.
func TestReadBack(t *testing.T) {
	r := piped()
	file := filepath.Join(t.TempDir(), "review.html")
	if err := os.WriteFile(file, page1(t, r), 0o600); err != nil {
		t.Fatal(err)
	}
	d, err := ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := show.NewExplanation(r.Answer, r.Pick)
	want.Question = nil // which the page has once
	if diff := cmp.Diff(want, d.Explanation, cmpopts.IgnoreUnexported(show.Call{})); diff != "" {
		t.Errorf("explanation changed (-written +read):\n%s", diff)
	}
	a, err := ask.Ask(d.Question.Ask())
	if err != nil {
		t.Fatal(err)
	}
	l, f, err := a.Layout(d.Layout)
	if err != nil {
		t.Fatal(err)
	}
	if e := a.Problem.Estimate(l, f); e.Step != r.Pick.Step || f.Name != d.Framework {
		t.Errorf("asked again: %v on %s, want %v on %s", e.Step, f.Name, r.Pick.Step, d.Framework)
	}
}

var (
	fetched = regexp.MustCompile(`(?i)\s(src|srcset|poster|action)=|@import|url\(|<(iframe|object|embed|img|video|audio|base)\b`)
	anchors = regexp.MustCompile(`href="#([^"]+)"`)
)

// TestSelfContained: a page fetches nothing, its links lead somewhere, and it
// stays under a megabyte.
func TestSelfContained(t *testing.T) {
	text := page1(t, piped())
	if len(text) > 1e6 {
		t.Errorf("%d bytes, want under a megabyte", len(text))
	}
	if m := fetched.Find(text); m != nil {
		t.Errorf("page fetches: %q", m)
	}
	for _, m := range anchors.FindAllSubmatch(text, -1) {
		if !bytes.Contains(text, []byte(`id="`+string(m[1])+`"`)) {
			t.Errorf("link to #%s leads nowhere", m[1])
		}
	}
}

// TestManyStages: a page of many stages stays small and says what it left out.
func TestManyStages(t *testing.T) {
	a, err := ask.Ask(ask.Question{Model: "405b", GPUs: 1008, GlobalBatch: 1008, Framework: "megatron"})
	if err != nil {
		t.Fatal(err)
	}
	l, f, err := a.Layout("tp=8,pp=126,zero=1")
	if err != nil {
		t.Fatal(err)
	}
	r := *piped()
	r.Answer, r.Pick = a, a.Explain(l, f)
	text := page1(t, &r)
	d, err := Read("page", text)
	if err != nil {
		t.Fatal(err)
	}
	if len(text) > 1e6 || len(d.CallStages) == 0 {
		t.Errorf("%d bytes with the calls of stages %v, want under a megabyte and some stages", len(text), d.CallStages)
	}
}

// TestMarkdown: the chapters and numbers of the page are in Markdown too.
func TestMarkdown(t *testing.T) {
	var b strings.Builder
	r := piped()
	if err := Markdown(&b, r); err != nil {
		t.Fatal(err)
	}
	for _, s := range sections(r) {
		if !strings.Contains(b.String(), "\n## "+s.Title+"\n") {
			t.Errorf("no chapter %q", s.Title)
		}
		for _, table := range s.Tables {
			if !strings.Contains(b.String(), table.Caption+":\n\n|") {
				t.Errorf("no table %q", table.Caption)
			}
		}
	}
	if strings.Contains(b.String(), "<svg") {
		t.Error("Markdown holds a picture")
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

func TestReadErrors(t *testing.T) {
	whole := page1(t, piped())
	for name, text := range map[string]string{
		"empty":        "",
		"other page":   "<html></html>",
		"other JSON":   `{"schema_version":1}`,
		"cut short":    string(whole[:bytes.Index(whole, dataOpen)+200]),
		"other schema": strings.Replace(string(whole), `"planner-data">{"schema_version":1`, `"planner-data">{"schema_version":7`, 1),
	} {
		_, err := Read(name, []byte(text))
		if _, ok := err.(*catalog.Error); !ok || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want one line", name, err)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`<script type="application/json" id="planner-data">{"schema_version":1,"kind":"planner-report"}</script>`))
	f.Add([]byte(`{"schema_version":1,"kind":"planner-report","explanation":{"calls":[{}]}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		d, err := Read("page", text)
		if (d == nil) == (err == nil) {
			t.Errorf("data %v, error %v", d, err)
		}
	})
}

// TestVerification: what planner verify found is in the page.
func TestVerification(t *testing.T) {
	r := *piped()
	r.Verified = &verdict.Report{
		Verdict: verdict.Ruling{Status: verdict.Inconclusive, Sentence: "16 of 1,024 GPUs"}, TauB: 0.97, Ranks: 16, Nodes: 2, Shares: verdict.Shares{Measured: 0.9},
		Layouts: []verdict.Layout{{Layout: "tp=8", Predicted: 2, Measured: 2.2}}, Calls: []verdict.Call{{Op: "all_reduce", Axis: "tp", Predicted: 0.002, Measured: 0.001}},
	}
	text := string(page1(t, &r))
	for _, want := range []string{"inconclusive: 16 of 1,024 GPUs", "tau-b 0.97", "90.0 % were measured", "16 ranks on 2 nodes", `<td class="r">1.10</td>`, `<td class="r">0.50</td>`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in the page", want)
		}
	}
}

// What hides a call is said as planner explain says it: no call that is exposed
// in part has nothing beside it.
func TestBeside(t *testing.T) {
	section := callSection(piped())
	table := section.Tables[0]
	named := false
	for _, row := range table.Rows {
		n := len(row.Cells)
		total, exposed, beside := row.Cells[n-4], row.Cells[n-3], row.Cells[n-1]
		if beside == "—" && exposed != "0.0" && exposed != total {
			t.Errorf("%v: exposed in part, and nothing says why", row.Cells)
		}
		named = named || strings.HasPrefix(beside, "tp_exposed = 0.")
	}
	if !named || !strings.Contains(strings.Join(section.Lead, " "), "the fitted share of it that is exposed") {
		t.Errorf("the fitted share of TP calls is not named: %v", section.Lead)
	}
}
