package filter_test

import (
	"context"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"planner/internal/ask"
	"planner/internal/tui/filter"
	"planner/strategies"
)

func problem(t testing.TB) *strategies.Problem {
	a, err := ask.Ask(ask.Question{Model: "llama3.1-8b", GPUs: 16, SeqLen: 4096, GlobalBatch: 64})
	if err != nil {
		t.Fatal(err)
	}
	return a.Problem
}

func TestMatch(t *testing.T) {
	p := problem(t)
	l, err := strategies.ParseLayout("tp=2,pp=2,vpp=4,zero=1,mbs=2")
	if err != nil {
		t.Fatal(err)
	}
	l, _ = l.Complete(16)
	e := p.Estimate(l, p.Profiles[0])
	for _, c := range []struct {
		text string
		want bool
	}{
		{"", true}, {"tp=2", true}, {"tp=4", false}, {"tp=1,2,4", true}, {"!tp=2", false}, {"tp!=2", false}, {"tp>=2 pp<4", true},
		{"dp=4", true}, {"zero>=1", true}, {"/vpp=[45]/", true}, {"/VPP=4/", true}, {"!/vpp/", false}, {"vpp=4 mbs=2 recompute=none", true},
		{"mem<1GiB", false}, {"mem<1000", true}, {"memory<1TiB", true}, {"mfu>1%", true}, {"mfu<0.01", false}, {"framework=megatron", true}, {"megatron", true},
		{"step>0 step<1000s", true}, {"sp=true", true},
	} {
		f, err := filter.Parse(c.text)
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		if got := f.Match(p, &e); got != c.want {
			t.Errorf("%q: %v, want %v", c.text, got, c.want)
		}
	}
}

func TestFaults(t *testing.T) {
	for text, part := range map[string]string{
		"tpp=2": `did you mean "tp"`, "tp=x": "not a number", "tp=": "no value", "mem<many": "mem<70GiB", "/(/": "regular expression",
		"framework>megatron": "is a word", "tp>1,2": "a list needs =", "!": "nothing to refuse",
	} {
		_, err := filter.Parse(text)
		if err == nil || !strings.Contains(err.Error(), part) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v, want one line with %q", text, err, part)
		}
	}
}

// A narrowed search must not lose a layout that passes the filter.
func TestNarrowLosesNothing(t *testing.T) {
	p := problem(t)
	all := strategies.Search(context.Background(), p, strategies.Space{}, strategies.Options{KeepAll: true})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"tp=2", "tp>=4", "!pp=1", "vpp>2", "zero=0,1", "zero<3", "mbs=4", "!mbs=1",
			"mem<40GiB", "mem<=20", "mfu>0.3", "cp=1", "!cp=2", "tp=3", "pp<=2"}), 1, 4).Draw(t, "terms"), " ")
		f, err := filter.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		want := passing(p, &f, all.Ranking)
		space, possible := f.Narrow(strategies.Space{}, 16)
		if !possible {
			if len(want) > 0 {
				t.Fatalf("%q: called impossible, %d pass", text, len(want))
			}
			return
		}
		got := passing(p, &f, strategies.Search(context.Background(), p, space, strategies.Options{KeepAll: true}).Ranking)
		if len(got) != len(want) {
			t.Fatalf("%q: %d found, %d pass", text, len(got), len(want))
		}
		for i := range got {
			if got[i] != want[i] {
				t.Fatalf("%q: row %d is %s, want %s", text, i, got[i], want[i])
			}
		}
	})
}

func passing(p *strategies.Problem, f *filter.Filter, list []strategies.Estimate) []string {
	var out []string
	for i := range list {
		if f.Match(p, &list[i]) {
			out = append(out, list[i].Layout.String())
		}
	}
	return out
}

func TestFlags(t *testing.T) {
	f, err := filter.Parse("tp=8 zero>=1 mem<70GiB mfu>0.4 !cp=2")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(f.Flags(), " "), "--tp 8 --zero 1,2,3 --max-memory 70GiB"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"tp=8 zero>=1 mem<70GiB !cp=2 /vpp/", "mfu>45%", "!", "/(/", "a=b", "step<=9s", "tp==1,2"} {
		f.Add(s)
	}
	p := problem(f)
	l, _ := strategies.Layout{TP: 2}.Complete(16)
	e := p.Estimate(l, p.Profiles[0])
	f.Fuzz(func(t *testing.T, text string) {
		got, err := filter.Parse(text)
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("%q: more than one line: %q", text, err)
			}
			return
		}
		got.Match(p, &e)
		got.Narrow(strategies.Space{}, 16)
		got.Flags()
	})
}
