package plan

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"planner/hardware/unit"
	"planner/internal/ask"
	"planner/internal/show"
	"planner/strategies"
)

func answered(t testing.TB, q ask.Question, layout string) (*ask.Answer, *strategies.Explanation) {
	t.Helper()
	a, err := ask.Ask(q)
	if err != nil {
		t.Fatal(err)
	}
	l, f, err := a.Layout(layout)
	if err != nil {
		t.Fatal(err)
	}
	return a, a.Problem.Explain(l, f)
}

func TestRoundTrip(t *testing.T) {
	q := ask.Question{Model: "70b", GPUs: 512, SeqLen: 4096, Trainable: 0.5, Attention: "flash2"}
	q.Options.InterNode = 25 * unit.GBps
	a, x := answered(t, q, "tp=8,pp=4,zero=1")
	p := New(a, &x.Estimate, "0.0.0", time.Date(2026, 11, 29, 0, 0, 0, 0, time.UTC))
	back, err := Parse("plan.toml", p.Encode())
	if err != nil {
		t.Fatal(err)
	}
	p.File = "plan.toml"
	if d := cmp.Diff(p, back); d != "" {
		t.Errorf("saved and read plan differ:\n%s", d)
	}
	if back.Question.Model != "llama3.1-70b" || back.Saved != "2026-11-29" {
		t.Errorf("model %q, saved %q", back.Question.Model, back.Saved)
	}
	_, y, err := back.Estimate()
	if err != nil {
		t.Fatal(err)
	}
	if y.Step != x.Step || y.Memory.Total() != x.Memory.Total() {
		t.Errorf("estimated again: %v and %v, want %v and %v", y.Step, y.Memory.Total(), x.Step, x.Memory.Total())
	}
}

// The JSON of explain and suggest, and a report around it, read back as the
// same plan.
func TestDocuments(t *testing.T) {
	a, x := answered(t, ask.Question{Model: "8b", GPUs: 64}, "tp=2,zero=1")
	want := FiguresOf(a.Problem, &x.Estimate)
	explain, err := json.Marshal(show.NewExplanation(a, x))
	if err != nil {
		t.Fatal(err)
	}
	suggest, err := json.Marshal(show.NewSuggestion(a, &strategies.Result{Ranking: []strategies.Estimate{x.Estimate}}, nil))
	if err != nil {
		t.Fatal(err)
	}
	report := "<html><script type=\"application/json\" id=\"planner-data\">" + string(explain) + "</script></html>"
	wrapped := "<script id=\"planner-data\">{\"layout\":\"tp=2\",\"question\":{\"model\":\"8b\",\"gpus\":64},\"explanation\":" + string(explain) + "}</script>"
	for _, c := range []struct{ file, text string }{{"a.json", string(explain)}, {"b.json", string(suggest)}, {"c.html", report}, {"d.html", wrapped}} {
		p, err := Parse(c.file, []byte(c.text))
		if err != nil {
			t.Errorf("%s: %v", c.file, err)
			continue
		}
		if d := cmp.Diff(want, p.Predicted); d != "" || p.Question.GPUs != 64 || p.Layout != x.Layout.String() {
			t.Errorf("%s: %d GPUs, layout %s:\n%s", c.file, p.Question.GPUs, p.Layout, d)
		}
	}
}

// A question that cannot be asked is refused as it is read, for commands that only
// show it.
func TestQuestionIsChecked(t *testing.T) {
	a, x := answered(t, ask.Question{Model: "8b", GPUs: 64}, "tp=2,zero=1")
	good := string(New(a, &x.Estimate, "0.0.0", time.Now()).Encode())
	question := good[strings.Index(good, "[question]"):strings.Index(good, "[predicted]")]
	for _, c := range []struct{ was, now, want string }{
		{question, "", "p.toml: model: missing: "},
		{"trainable = 0.0", "trainable = -1.0", "p.toml: trainable -1: "},
		{`pass = ""`, `pass = "fwd"`, `p.toml: pass "fwd": `},
		{`fabric = ""`, `fabric = "pigeon"`, `p.toml: fabric "pigeon": unknown: `},
		{"gpus = 64", "gpus = -3", "p.toml: gpus -3: too small"},
	} {
		_, err := Parse("p.toml", []byte(strings.Replace(good, c.was, c.now, 1)))
		if err == nil || !strings.HasPrefix(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q", c.now, err, c.want)
		}
	}
}

func TestWrongFiles(t *testing.T) {
	a, x := answered(t, ask.Question{Model: "8b", GPUs: 64}, "tp=2,zero=1")
	good := string(New(a, &x.Estimate, "0.0.0", time.Now()).Encode())
	for _, c := range []struct{ file, text, want string }{
		{"p.toml", "", "empty"},
		{"p.toml", strings.Replace(good, "format = 1", "format = 9", 1), "format 9: not known"},
		{"p.toml", strings.Replace(good, "gpus = 64", "gpu = 64", 1), `did you mean "gpus"`},
		{"p.toml", strings.Replace(good, "tp=2", "tpp=2", 1), `unknown key "tpp"`},
		{"p.toml", "format = 1\nlayout = \"tp=2\"\n", "must be above 0"},
		{"p.toml", "title = \"a cluster\"\ngpu = \"h100\"\ngpus_per_node = 8\n", "p.toml: not a plan TOML: none of its keys is one of a plan TOML"},
		{"p.json", "{}", "schema_version 0"},
		{"p.json", "[", "the file seems cut off: want the JSON of suggest"}, {"p.json", "[]", "p.json: is a list: want the JSON"},
		{"p.json", `{"schema_version":1}`, "no layout"},
		{"p.html", "<html>", "no embedded data"},
	} {
		_, err := Parse(c.file, []byte(c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s %.20q: error %v, want %q on one line", c.file, c.text, err, c.want)
		}
	}
}

func TestLimits(t *testing.T) {
	now := Figures{Step: 8, MFU: 0.5, Tokens: 1000, Memory: 70 * (1 << 30), Usable: 79 * (1 << 30), Fits: true}
	saved := now
	saved.Step = 7.5
	for _, c := range []struct {
		limits Limits
		ok     bool
	}{
		{Limits{}, true},
		{Limits{MinMFU: 0.5, MaxMemory: 70 * unit.GiB, MaxStep: 8, MinTokens: 1000}, true},
		{Limits{MinMFU: 0.51}, false},
		{Limits{MaxMemory: 69 * unit.GiB}, false},
		{Limits{MaxStep: 7.9}, false},
		{Limits{MinTokens: 1001}, false},
		{Limits{MaxDrift: 0.07, HoldDrift: true}, true},
		{Limits{MaxDrift: 0.06, HoldDrift: true}, false},
		{Limits{MaxDrift: 0, HoldDrift: true}, false},
	} {
		ok := true
		for _, v := range c.limits.Check(now, saved) {
			ok = ok && v.OK
		}
		if ok != c.ok {
			t.Errorf("%+v: ok %v, want %v", c.limits, ok, c.ok)
		}
	}
}

func FuzzParse(f *testing.F) {
	a, x := answered(f, ask.Question{Model: "8b", GPUs: 64}, "tp=2,zero=1")
	f.Add("p.toml", New(a, &x.Estimate, "0.0.0", time.Now()).Encode())
	f.Add("p.json", []byte(`{"schema_version":1,"layout":{"layout":"tp=2"}}`))
	f.Add("p.html", []byte(`<script id="planner-data">{}</script>`))
	f.Fuzz(func(t *testing.T, file string, text []byte) {
		p, err := Parse(file, text)
		if err == nil && len(bytes.TrimSpace(p.Encode())) == 0 {
			t.Error("a plan that cannot be written")
		}
	})
}

// A question that cannot be asked is a fault of the file, under its own keys.
func TestFaultsNameTheFile(t *testing.T) {
	a, x := answered(t, ask.Question{Model: "8b", GPUs: 64}, "tp=2,zero=1")
	good := string(New(a, &x.Estimate, "0.0.0", time.Now()).Encode())
	for _, c := range []struct{ was, now, want string }{
		{"gpus = 64", "gpus = -3", "p.toml: gpus -3: too small: want 1 to 1,048,576"},
		{"gpus = 64", "gpus = 0", "p.toml: gpus: missing"},
		{"seq_len = 8192", "seq_len = -3", "p.toml: seq_len -3: out of range"},
		{`model = "llama3.1-8b"`, `model = "zzz"`, `p.toml: model "zzz": no such preset`},
		{`layout = "tp=2,dp=32,zero=1"`, `layout = "tp=3"`, `p.toml: layout "tp=3": 64 GPUs`},
		{"framework = \"megatron\"\n\n", "framework = \"zzz\"\n\n", `p.toml: framework "zzz": no such value`},
		{`hardware = "h100-sxm-80gb"`, `hardware = "foo"`, `p.toml: unknown hardware "foo"`},
		{`fabric = ""`, `fabric = "zzz"`, `p.toml: fabric "zzz": unknown: want one of nvlink, `},
		{"gpus_per_node = 0", "gpus_per_node = 2000", "p.toml: gpus_per_node 2000: out of range: want 1 to 1024"},
		{"inter_node_bytes_per_second = 0.0", "inter_node_bytes_per_second = 0.5", "p.toml: inter_node_bytes_per_second 0.5B/s: out of range"},
		{"latency_seconds = 0.0", "latency_seconds = -1.0", "p.toml: latency between nodes -1 s: negative"},
		{"latency_seconds = 0.0", "latency_seconds = 1e300", "p.toml: latency between nodes 1e+300 s: out of range: want 0 to 1 s"},
		{"trainable = 0.0", "trainable = -1.0", "p.toml: trainable -1: not a share of the parameters"},
		{`pass = ""`, `pass = "fwd"`, `p.toml: pass "fwd": no such value: `},
		{"nics_per_node = 0", "nics_per_node = -1", "p.toml: ports of a node -1: negative"},
	} {
		text := strings.Replace(good, c.was, c.now, 1)
		p, err := Parse("p.toml", []byte(text))
		if err == nil {
			_, _, err = p.Estimate()
		}
		if err == nil || !strings.HasPrefix(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q", c.now, err, c.want)
		}
	}
}
