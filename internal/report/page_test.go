package report

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"planner/internal/ask"
	"planner/internal/verdict"
)

func page1(t *testing.T, r *Review) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := HTML(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
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
