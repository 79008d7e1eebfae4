package state_test

import (
	"context"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"planner/internal/ask"
	"planner/internal/tui/scan"
	"planner/internal/tui/state"
)

// session carries out the effects of a state in place.
type session struct {
	state.State
	done []state.Effect
}

func start(t testing.TB, w, h int) *session {
	t.Helper()
	a, err := ask.Ask(ask.Question{Model: "llama3.1-8b", GPUs: 64})
	if err != nil {
		t.Fatal(err)
	}
	s := &session{}
	var effects []state.Effect
	s.State, effects = state.New(state.Config{Answer: a, Commands: []string{"suggest", "export"}, Keep: 200}, w, h)
	s.carry(effects)
	return s
}

func (s *session) carry(effects []state.Effect) {
	for _, e := range effects {
		s.done = append(s.done, e)
		if search, ok := e.(state.Search); ok {
			search.Job.Run(context.Background(), func(f scan.Found) {
				s.send(state.News{Gen: search.Gen, Found: f, Done: f.Part == f.Parts})
			})
		}
	}
}

func (s *session) send(e state.Event) {
	var effects []state.Effect
	s.State, effects = s.Update(e)
	s.carry(effects)
}

// keys types space-separated keys; "«text»" is typed letter by letter.
func (s *session) keys(script string) {
	for _, k := range strings.Fields(script) {
		if text, ok := strings.CutPrefix(k, "«"); ok {
			for _, r := range strings.ReplaceAll(strings.TrimSuffix(text, "»"), "_", " ") {
				s.send(state.Key(string(r)))
			}
			continue
		}
		if k == "space" {
			k = " "
		}
		s.send(state.Key(k))
	}
}

func TestFilterSearchesAgain(t *testing.T) {
	s := start(t, 120, 36)
	all := s.Found.Fitting
	s.keys("/ «tp=4_mem<40GiB» enter")
	if len(s.Visible) == 0 || s.Found.Fitting >= all {
		t.Fatalf("%d rows, %d fit of %d", len(s.Visible), s.Found.Fitting, all)
	}
	for _, i := range s.Visible {
		if e := s.Rows[i].Estimate; e.Layout.TP != 4 || e.Memory.Total().GiB() >= 40 {
			t.Errorf("%s of %.1f GiB passes", e.Layout, e.Memory.Total().GiB())
		}
	}
	if got := s.Command(); got != "planner suggest --model llama3.1-8b --gpus 64 --tp 4 --max-memory 40GiB" {
		t.Error(got)
	}
	s.keys("esc")
	if s.Filter.Text != "" || s.Found.Fitting != all {
		t.Errorf("after esc: %q, %d fit", s.Filter.Text, s.Found.Fitting)
	}
}

func TestFaultyFilterStaysOpen(t *testing.T) {
	s := start(t, 120, 36)
	s.keys("/ «tpp=4» enter")
	if s.Prompt.Kind != state.FilterPrompt || !strings.Contains(s.Prompt.Fault, `"tp"`) {
		t.Errorf("%+v", s.Prompt)
	}
	s.keys("ctrl+u «ze» tab")
	if s.Prompt.Text != "zero" {
		t.Errorf("completed to %q", s.Prompt.Text)
	}
}

func TestSort(t *testing.T) {
	s := start(t, 200, 40)
	first := s.Current().Estimate
	for s.Sort != "mem" {
		s.keys("s")
	}
	last := 0.0
	for _, i := range s.Visible {
		m := s.Rows[i].Estimate.Memory.Total().GiB()
		if m < last {
			t.Fatalf("%.1f GiB after %.1f", m, last)
		}
		last = m
	}
	s.keys("S")
	if m := s.Current().Estimate.Memory.Total().GiB(); m != last {
		t.Errorf("reversed begins at %.1f GiB, want %.1f", m, last)
	}
	s.send(state.Click{X: state.RowIndent, Y: 2}) // the head of the rank
	if s.Sort != "#" || s.Current().Estimate.Layout != first.Layout {
		t.Errorf("clicked the first head: sorted by %s", s.Sort)
	}
}

func TestUndoRedo(t *testing.T) {
	s := start(t, 120, 36)
	s.keys("w")
	plans := []any{s.Now.Plan}
	s.keys("right")
	plans = append(plans, s.Now.Plan)
	s.keys("down right")
	plans = append(plans, s.Now.Plan)
	s.keys("u")
	if !reflect.DeepEqual(s.Now.Plan, plans[1]) {
		t.Errorf("undone once: %s", s.Now.Layout)
	}
	s.keys("u")
	if !reflect.DeepEqual(s.Now.Plan, plans[0]) {
		t.Errorf("undone twice: %s", s.Now.Layout)
	}
	s.keys("u U U")
	if !reflect.DeepEqual(s.Now.Plan, plans[2]) {
		t.Errorf("redone twice: %s", s.Now.Layout)
	}
}

func TestKeepSearchesTheNewQuestion(t *testing.T) {
	s := start(t, 120, 36)
	s.keys("w")
	for range 30 {
		s.keys("down")
	}
	for s.Question("GPUs") && s.Knob > 0 {
		s.keys("up")
	}
	s.keys("right enter")
	if s.Answer.GPUs != 128 || s.Found.Legal == 0 || s.View != state.Table || s.Pin == nil {
		t.Errorf("%d GPUs, %d legal, view %d", s.Answer.GPUs, s.Found.Legal, s.View)
	}
}

// Question reports whether the knob is not yet the named one.
func (s *session) Question(name string) bool { return s.KnobName() != name }

func TestOut(t *testing.T) {
	s := start(t, 120, 36)
	s.keys("c")
	if c, ok := s.done[len(s.done)-1].(state.Copy); !ok || !strings.HasPrefix(c.Text, "planner suggest --model llama3.1-8b --gpus 64") {
		t.Errorf("%#v", s.done[len(s.done)-1])
	}
	s.keys("o «plan.json» enter")
	if f, ok := s.done[len(s.done)-1].(state.Save); !ok || f.Path != "plan.json" || f.Point.Layout != s.Current().Estimate.Layout {
		t.Errorf("%#v", s.done[len(s.done)-1])
	}
	s.keys("x enter")
	if r, ok := s.done[len(s.done)-1].(state.Run); !ok || r.Args[0] != "export" {
		t.Errorf("%#v", s.done[len(s.done)-1])
	}
	s.keys("r")
	if !strings.Contains(s.Message, "no command report") {
		t.Error(s.Message)
	}
	s.keys("q")
	if _, ok := s.done[len(s.done)-1].(state.Quit); !ok {
		t.Error("q does not quit")
	}
}

func TestOldNewsIsDropped(t *testing.T) {
	s := start(t, 120, 36)
	legal := s.Found.Legal
	s.send(state.News{Gen: s.Gen - 1, Found: scan.Found{Legal: 1}, Done: true})
	if s.Found.Legal != legal {
		t.Error("news of an earlier search was taken")
	}
}

// Update leaves the state before it as it was, whatever the keys.
func TestPure(t *testing.T) {
	base := start(t, 120, 36)
	rapid.Check(t, func(t *rapid.T) {
		s := *base
		for range rapid.IntRange(1, 25).Draw(t, "keys") {
			before := s.State
			marks, visible := len(before.Marks), append([]int(nil), before.Visible...)
			past := append(before.Steps.Past[:0:0], before.Steps.Past...)
			s.send(state.Key(rapid.SampledFrom(state.TestKeys).Draw(t, "key")))
			if len(before.Marks) != marks || !reflect.DeepEqual(append([]int(nil), before.Visible...), visible) || !reflect.DeepEqual(append(past[:0:0], before.Steps.Past...), past) {
				t.Fatal("an earlier state changed")
			}
		}
	})
}

// A search that begins anew finds the layout at hand late: the screen about it
// stays as it is until then, and on the layout after.
func TestDetailStaysWhileSearching(t *testing.T) {
	s := start(t, 120, 40)
	whole := s.Found
	s.keys("enter 3 enter")
	if s.View != state.Detail || !s.CallOpen {
		t.Fatalf("view %v, open %v", s.View, s.CallOpen)
	}
	plan := s.Selected.Plan
	part := whole
	part.Ranking = whole.Ranking[20:]
	s.send(state.News{Gen: s.Gen, Found: part})
	if !s.CallOpen || s.Selected.Plan != plan {
		t.Errorf("a part of the search: open %v, on %v, want %v", s.CallOpen, s.Selected.Plan, plan)
	}
	s.send(state.News{Gen: s.Gen, Found: whole, Done: true})
	if !s.CallOpen || s.Selected.Plan != plan || s.Current().Key() == "" {
		t.Errorf("the whole: open %v, on %v, want %v", s.CallOpen, s.Selected.Plan, plan)
	}
}
