package knob_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"planner/internal/ask"
	"planner/internal/tui/knob"
	"planner/strategies"
)

func point(t testing.TB, layout string) knob.Point {
	a, err := ask.Ask(ask.Question{Model: "70b", GPUs: 1024})
	if err != nil {
		t.Fatal(err)
	}
	l, err := strategies.ParseLayout(layout)
	if err != nil {
		t.Fatal(err)
	}
	return knob.Solve(knob.Plan{Question: a.Question, Layout: l}, a)
}

func find(t *testing.T, pt *knob.Point, name string) knob.Knob {
	for _, k := range knob.Knobs(pt) {
		if k.Name == name {
			return k
		}
	}
	t.Fatalf("no knob %s", name)
	return knob.Knob{}
}

// Llama 3.1 70B has 80 layers and 64 heads (published configuration), so a
// stage of pp=4 has 20 layers, whose divisors are the virtual stages.
func TestValuesFollowTheModel(t *testing.T) {
	pt := point(t, "tp=4,pp=4,vpp=5,zero=1")
	k := find(t, &pt, "VPP")
	if texts, now := k.Texts(&pt); strings.Join(texts, " ") != "1 2 4 5 10 20" || texts[now] != "5" {
		t.Errorf("virtual stages: %v, now %d", texts, now)
	}
	k = find(t, &pt, "TP")
	for _, o := range k.Options(&pt) {
		if o.Text == "128" && (o.Legal() || !strings.Contains(o.Broken, "64 heads")) {
			t.Errorf("tp=128 on 64 heads: %q", o.Broken)
		}
		if o.Text == "8" && (!o.Legal() || o.Layout.DP != 32 || !o.Layout.SP) {
			t.Errorf("tp=8: %s, %s", o.Layout, o.Broken)
		}
		if o.Text == "1" && o.Layout.SP {
			t.Errorf("tp=1 keeps SP: %s", o.Layout)
		}
	}
}

func TestVirtualStagesFollow(t *testing.T) {
	pt := point(t, "tp=4,pp=4,vpp=10,zero=1")
	for _, o := range func() []knob.Option { k := find(t, &pt, "PP"); return k.Options(&pt) }() {
		switch o.Text {
		case "1":
			if o.Layout.VPP != 1 {
				t.Errorf("pp=1 keeps vpp=%d", o.Layout.VPP)
			}
		case "16":
			if 80%(16*o.Layout.VPP) != 0 || o.Layout.VPP != 5 {
				t.Errorf("pp=16 with vpp=%d", o.Layout.VPP)
			}
		}
	}
}

// Whatever is turned, a legal point fills the cluster and is what a fresh
// solution of its plan says.
func TestWalk(t *testing.T) {
	start := point(t, "tp=4,pp=4,vpp=5,zero=1")
	rapid.Check(t, func(t *rapid.T) {
		pt := start
		for range rapid.IntRange(1, 6).Draw(t, "turns") {
			knobs := knob.Knobs(&pt)
			k := knobs[rapid.IntRange(0, len(knobs)-1).Draw(t, "knob")]
			o, skipped, ok := k.Step(&pt, rapid.SampledFrom([]int{-1, 1}).Draw(t, "by"))
			for _, s := range skipped {
				if s.Rule() == "" {
					t.Fatalf("%s=%s skipped without a rule", k.Name, s.Text)
				}
			}
			if !ok {
				continue
			}
			pt = o.Point
			if !pt.Legal() || pt.Layout.World() != pt.Question.GPUs {
				t.Fatalf("%s=%s: %s: %q", k.Name, o.Text, pt.Layout, pt.Broken)
			}
			if v := pt.Answer.Problem.Check(&pt.Layout, pt.Framework); v != nil {
				t.Fatalf("%s: %s", pt.Layout, v)
			}
			if again := knob.Solve(pt.Plan, nil); again.Estimate.Step != pt.Estimate.Step || again.Plan != pt.Plan {
				t.Fatalf("%s: solved anew it is %s", pt.Layout, again.Layout)
			}
		}
	})
}

func TestSensitivityHasBothWays(t *testing.T) {
	pt := point(t, "tp=4,pp=4,vpp=5,zero=1")
	var names []string
	for _, e := range knob.Sensitivity(&pt) {
		names = append(names, e.Knob)
	}
	for _, want := range []string{"TP", "PP", "MBS", "GBS", "link", "GPUs"} {
		if !slices.Contains(names, want) {
			t.Errorf("no effect of %s", want)
		}
	}
}

// DeepSeek-V3 has 61 layers (published configuration): no pipeline divides
// them, so the ends get layers of their own.
func TestUnevenPipelines(t *testing.T) {
	a, err := ask.Ask(ask.Question{Model: "deepseek-v3", GPUs: 2048})
	if err != nil {
		t.Fatal(err)
	}
	l, _ := strategies.ParseLayout("ep=64,etp=1,zero=1")
	pt := knob.Solve(knob.Plan{Question: a.Question, Layout: l}, a)
	k := find(t, &pt, "PP")
	for _, o := range k.Options(&pt) {
		if l := &o.Layout; o.Text == "16" && (!o.Legal() || l.First+l.Last+14*((61-l.First-l.Last)/14) != 61) {
			t.Errorf("pp=16: %s: %s", o.Layout, o.Broken)
		}
	}
}
