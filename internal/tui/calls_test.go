package tui

import (
	"strings"
	"testing"

	"planner/costmodel/collective"
	"planner/hardware"
	"planner/internal/show"
	"planner/internal/tui/state"
)

// Only a group of every rank is the world; names too long for the column are
// cut, those that fit stand as they are.
func TestGroupName(t *testing.T) {
	for _, c := range []struct {
		dims collective.Dims
		size int
		want string
	}{
		{collective.DP, 64, "dp"},
		{collective.TP | collective.PP, 32, "tp+pp"},
		{collective.EP | collective.ETP, 32, "ep+etp"},
		{collective.World, 64, "world"},
		{collective.World, 32, "tp+cp…"},
	} {
		if got := groupName(&collective.Call{Dims: c.dims, Span: hardware.Span{Size: c.size}}, 64); got != c.want {
			t.Errorf("%v of %d: %q, want %q", c.dims.Names(), c.size, got, c.want)
		}
	}
}

// What hides a call is said as planner explain says it, in the table and in the
// sentence below.
func TestBeside(t *testing.T) {
	s := settled(state.New(config(t, "mixtral-8x7b", 64), 200, 48))
	look := newTheme()
	d := drawing{s: &s, t: &look}
	x, named := s.Selected, false
	for i := range x.X.Calls {
		c := &x.X.Calls[i]
		if row := d.callRow(x, c); !strings.HasSuffix(row, show.Beside(x.X, c)) {
			t.Errorf("%q is not beside %q", row, show.Beside(x.X, c))
		}
		text := d.sentence(x, c)
		share := float64(c.Exposed / c.Total())
		if strings.Contains(text, "Nothing runs beside it.") && share < 0.9 {
			t.Errorf("%s %q is exposed to %.2f: %s", c.Op, c.Purpose, share, text)
		}
		named = named || strings.Contains(text, "A fitted share of 0.")
	}
	if !named {
		t.Error("no fitted share is named")
	}
}
